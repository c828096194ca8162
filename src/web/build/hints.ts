import type { Plugin } from 'vite'
import { filesBeforeFirstPaint } from './first-paint.ts'

/**
 * Writes a document for each of these pages that names all which the page shows first, so that the browser asks for it at
 * once and not only when the entry has run. The server answers with the one that fits the address.
 * @param pages by the document's name: addresses of modules, from the web app's root
 */
export function hintPages(pages: Readonly<Record<string, readonly string[]>>): Plugin {
  return {
    name: 'reelay:hint-pages',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const plain = bundle['index.html']
        if (plain?.type !== 'asset') return
        const html = plain.source.toString()
        for (const [fileName, modules] of Object.entries(pages)) {
          const missing = [...filesBeforeFirstPaint(bundle, modules)].filter((file) => !html.includes(file))
          const hints = missing.map((file) => `    ${hint(file)}\n`).join('')
          const source = html.replace('  </head>', `${hints}  </head>`)
          if (fileName === 'index.html') plain.source = source
          else this.emitFile({ type: 'asset', fileName, source })
        }
      },
    },
  }
}

const hint = (file: string): string =>
  file.endsWith('.css')
    ? `<link rel="stylesheet" crossorigin href="/${file}">`
    : `<link rel="modulepreload" crossorigin href="/${file}">`
