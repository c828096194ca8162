import { readFile } from 'node:fs/promises'
import type { Plugin } from 'vite'
import { filesBeforeFirstPaint } from './first-paint.ts'

export type PageDocument = {
  /** What the page shows first besides the entry: paths from the web app's root. */
  readonly modules: readonly string[]
  /** Path of the HTML that is shown until React renders. */
  readonly shell: string
  /** Fetches the rest only after the shell is painted, for shells with content of their own. */
  readonly paintsFirst: boolean
  /** API paths that the page always requests. */
  readonly asks: readonly string[]
}

/**
 * Writes a document per page, with its shell and preload links for everything it needs before its first paint.
 * @param pages by the document's file name
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
          const hints = [...missing.map((file) => hint(file, paintsFirst)), ...asks.map(preloadCall)]
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

// Styles are only fetched, not applied: the shell is painted without them.
const hint = (file: string, paintsFirst: boolean): string => {
  const isStyle = file.endsWith('.css')
  const rel = paintsFirst ? 'after-paint' : isStyle ? 'preload' : 'modulepreload'
  return `<link rel="${rel}"${isStyle ? ' as="style"' : ''} fetchpriority="low" crossorigin href="/${file}">`
}

const preloadCall = (address: string): string =>
  `<link rel="preload" as="fetch" crossorigin href="${address}">`

const oneLine = (html: string): string => html.replaceAll(/\s*\n\s*/g, '')
