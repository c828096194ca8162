import { readFile } from 'node:fs/promises'
import type { Plugin } from 'vite'
import { filesBeforeFirstPaint } from './first-paint.ts'

export type PageDocument = {
  /** What the page shows first, beside the entry: addresses of modules, from the web app's root. */
  readonly modules: readonly string[]
  /** What is seen in the page, and not read out, until React takes over: the path of a piece of HTML. */
  readonly shell: string
  /**
   * Whether the shell alone is worth seeing, as with the overview's head. Then the rest is fetched once it is painted, and
   * does not take the line from it.
   */
  readonly paintsFirst: boolean
  /** Addresses of the API that the page asks in any case. */
  readonly asks: readonly string[]
}

/**
 * Writes a document for each of these pages that shows something by itself and names all which the page needs first, so
 * that the browser asks for it at once and not file by file. The server answers with the one that fits the
 * address.
 * @param pages by the document's name
 */
export function hintPages(pages: Readonly<Record<string, PageDocument>>): Plugin {
  return {
    name: 'reelay:hint-pages',
    apply: 'build',
    generateBundle: {
      order: 'post',
      async handler(_options, bundle) {
        const plain = bundle['index.html']
        if (plain?.type !== 'asset') return
        const html = plain.source.toString()
        for (const [fileName, { modules, shell, paintsFirst, asks }] of Object.entries(pages)) {
          const missing = [...filesBeforeFirstPaint(bundle, modules)].filter((file) => !html.includes(file))
          const hints = [...missing.map((file) => hint(file, paintsFirst)), ...asks.map(question)]
            .map((line) => `    ${line}\n`)
            .join('')
          const source = html
            .replace('  </head>', `${hints}  </head>`)
            .replace(ROOT, `<div id="root">${oneLine(await readFile(shell, 'utf8'))}</div>`)
          if (fileName === 'index.html') plain.source = source
          else this.emitFile({ type: 'asset', fileName, source })
        }
      },
    },
  }
}

const ROOT = '<div id="root"></div>'

// A style is only fetched here: the shell is painted without it, and what it is for waits for it.
const hint = (file: string, paintsFirst: boolean): string => {
  const isStyle = file.endsWith('.css')
  const rel = paintsFirst ? 'after-paint' : isStyle ? 'preload' : 'modulepreload'
  return `<link rel="${rel}"${isStyle ? ' as="style"' : ''} fetchpriority="low" crossorigin href="/${file}">`
}

const question = (address: string): string => `<link rel="preload" as="fetch" crossorigin href="${address}">`

const oneLine = (html: string): string => html.replaceAll(/\s*\n\s*/g, '')
