import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { keepAnswer } from '#base/kept-answer.ts'

type Send = (request: FastifyRequest, reply: FastifyReply) => FastifyReply

/**
 * The documents of the web app load the same app; they differ in the shell shown before it runs and in what is preloaded. The
 * overview's has this server's notice, visible before the first script runs.
 */
export function documentSender(root: string, notice: string | null): Send {
  const senderOf = (name: string): Send => {
    const file = path.join(root, name)
    const send = keepAnswer({
      type: 'text/html; charset=utf-8',
      cacheControl: 'no-cache',
      make: (_builtAt: number) => readFileSync(file, 'utf8').replace('{notice}', () => asText(notice ?? '')),
    })
    // A start of the next version builds its web app while this one still runs.
    return (request, reply) => send(request, reply, statSync(file).mtimeMs)
  }
  const overview = senderOf('overview.html')
  const dashboard = senderOf('dashboard.html')
  const index = senderOf('index.html')
  return (request, reply) => {
    if (/^\/dashboard\/overview\/?(\?|$)/i.test(request.url)) return overview(request, reply)
    return /^\/dashboard(\/|$|\?)/i.test(request.url) ? dashboard(request, reply) : index(request, reply)
  }
}

const asText = (text: string): string => text.replaceAll(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`)
