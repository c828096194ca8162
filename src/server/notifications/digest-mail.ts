import { LINKED_PAGES } from '#contract/http/addresses.ts'
import type { Notification } from '#contract/notifications.ts'
import { button, escapeHtml, mailHtml, paragraph } from '#base/mail/mail-html.ts'
import type { Mail } from '#base/mail/mail.ts'

/** More than these are only counted: the app has all of them. */
const LISTED_MAX = 50

const SETTINGS = 'Change your notification settings:'
const UNSUBSCRIBE = 'Stop all of these mails:'
const MORE = 'See all of them in Reelay:'

/** One mail for everything that has gathered, oldest first. `at` gives a link to each. */
export function digestMail(
  items: readonly Notification[],
  { publicUrl, unsubscribeUrl }: { readonly publicUrl: string; readonly unsubscribeUrl: string },
): Pick<Mail, 'subject' | 'text' | 'html' | 'unsubscribeUrl'> {
  const listed = items.slice(0, LISTED_MAX)
  const left = items.length - listed.length
  const lead = items.length === 1 ? null : subjectFor(items)
  const queue = `${publicUrl}${LINKED_PAGES.queue}`
  const settings = `${publicUrl}${LINKED_PAGES.settings}`
  const linkOf = (item: Notification) =>
    `${publicUrl}${item.post_id === null ? LINKED_PAGES.accounts : LINKED_PAGES.post(item.post_id)}`
  return {
    subject: subjectFor(items),
    unsubscribeUrl,
    text: `${[
      ...(lead === null ? [] : [`${lead}.`]),
      ...listed.map((item) => `${headOf(item)}\n${item.message}\n${linkOf(item)}`),
      ...(left > 0 ? [`And ${left} more. ${MORE}\n${queue}`] : []),
      `${SETTINGS}\n${settings}`,
      `${UNSUBSCRIBE}\n${unsubscribeUrl}`,
    ].join('\n\n')}\n`,
    html: mailHtml([
      ...(lead === null ? [] : [paragraph(`${lead}.`)]),
      ...listed.flatMap((item) => [
        `<p><strong>${escapeHtml(headOf(item))}</strong><br>${escapeHtml(item.message).replaceAll('\n', '<br>')}</p>`,
        items.length === 1
          ? button(wordFor(item), linkOf(item))
          : `<p><a href="${escapeHtml(linkOf(item))}">${wordFor(item)}</a></p>`,
      ]),
      ...(left > 0
        ? [`<p>And ${left} more. <a href="${escapeHtml(queue)}">${MORE.replace(':', '')}</a></p>`]
        : []),
      `<p style="color:#55626A;font-size:13px"><a href="${escapeHtml(settings)}">${SETTINGS.replace(':', '')}</a> · <a href="${escapeHtml(unsubscribeUrl)}">${UNSUBSCRIBE.replace(':', '')}</a></p>`,
    ]),
  }
}

const wordFor = (item: Notification): string => (item.post_id === null ? 'Open accounts' : 'Open the post')

/** An account's title names it; a post's does not. */
const headOf = (item: Notification): string =>
  item.post_id === null ? item.title : `${item.title}: ${item.subject}`

/** A single one says what it is; several that are of one kind say so. */
function subjectFor(items: readonly Notification[]): string {
  const [first] = items
  if (first && items.length === 1) return headOf(first)
  const isOne = (kind: Notification['kind']) => items.every((item) => item.kind === kind)
  if (isOne('missed')) return `${items.length} posts missed their time`
  if (isOne('restored')) return `${items.length} posts are held after a restore`
  if (isOne('failed')) return `${items.length} posts failed`
  if (items.every((item) => item.post_id !== null)) return `${items.length} posts need you`
  if (items.every((item) => item.post_id === null)) return `${items.length} accounts need you`
  return `${items.length} posts and accounts need you`
}
