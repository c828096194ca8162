import { popUp } from '#web/lib/browser-notifications.ts'
import { fixVideo, type FixOutcome } from './convert.ts'

/** Like `fixVideo`, which takes minutes: a hidden page says by the browser's notification how it ended. */
export async function fixInBackground(...args: Parameters<typeof fixVideo>): Promise<FixOutcome> {
  const outcome = await fixVideo(...args)
  if (outcome.kind === 'fixed') show('Video fixed', `Uploading ${outcome.file.name}.`)
  if (outcome.kind === 'failed') show("Couldn't fix the video", `${args[0].filename}\n${outcome.why}`)
  return outcome
}

const show = (title: string, body: string): void => popUp(title, { body, tag: 'reelay-fix' })
