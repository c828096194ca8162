// `npm run storage -- copy FROM TO`, with the server stopped: moves the files of all videos to another folder or bucket.
import { StartError } from '#base/start-error.ts'
import { runCommand, say } from './runtime/command.ts'
import { readConfig } from './runtime/config.ts'
import { copyFiles } from './storage/copy-files.ts'
import { openStorage } from './storage/open-storage.ts'

const USAGE = `Usage: npm run storage -- copy FROM TO
       FROM and TO are what STORAGE_URL takes: file:///srv/reelay, or s3://bucket/prefix?endpoint=https://s3.example.com
       Stop the server first. When it ends well, set STORAGE_URL to TO. Run it again if it was stopped.`

const open = (url: string) => openStorage(readConfig({ STORAGE_URL: url }).storage)

await runCommand(async () => {
  const [command, from, to, ...rest] = process.argv.slice(2)
  if (command !== 'copy' || from === undefined || to === undefined || rest.length > 0)
    throw new StartError(USAGE)
  const { copied, same, unfinished } = await copyFiles(await open(from), await open(to))
  say(`${copied} files copied and read back; ${same} were there already.`)
  if (unfinished > 0) say(`${unfinished} unfinished uploads were not copied: they begin anew.`)
})
