import type { FastifyRequest } from 'fastify'
import { bodyText, mediaType } from './body.ts'

export const isForm = (request: FastifyRequest): boolean =>
  mediaType(request.headers['content-type']) === 'application/x-www-form-urlencoded'

/** The fields of a form; none if the body is of another type. */
export const formFields = (request: FastifyRequest): URLSearchParams =>
  new URLSearchParams(isForm(request) ? bodyText(request) : '')

/** One address serves two calls; `grant_type` tells which one. */
export const tokenCallName = (request: FastifyRequest): string =>
  formFields(request).get('grant_type') === 'refresh_token' ? 'refresh' : 'token'
