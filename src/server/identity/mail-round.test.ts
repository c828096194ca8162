import {
  createUserWithEmailAndPassword,
  sendPasswordResetEmail,
  verifyPasswordResetCode,
} from 'firebase/auth'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { codeIn, PASSWORD, startIdentity } from '#test/identity.ts'
import type { Mail } from '../mail/mail.ts'
import { createMailRound } from './mail-round.ts'

const log = pino({ level: 'silent' })

test('a mail that was not taken is tried again, by whichever process looks next', async () => {
  const attempts: Mail[] = []
  const refusing = { send: (mail: Mail) => (attempts.push(mail), Promise.reject(new Error('busy'))) }
  const service = await startIdentity({ mail: refusing })
  const auth = service.browser()
  await createUserWithEmailAndPassword(auth, 'retry@example.test', PASSWORD)
  await sendPasswordResetEmail(auth, 'retry@example.test')
  await expect.poll(() => attempts).toHaveLength(1)
  await service.app.close()

  const sent: Mail[] = []
  const other = (): ReturnType<typeof createMailRound> =>
    createMailRound({
      db: service.db,
      mail: { send: (mail) => Promise.resolve(void sent.push(mail)) },
      log,
      now: service.now,
      publicUrl: service.publicUrl,
      apiKey: 'reelay',
    })
  await once(other())
  expect(sent).toEqual([]) // still held by the one that may be sending it
  service.advance(60_000)
  await once(other())
  expect(sent.map(({ to }) => to)).toEqual(['retry@example.test'])
  await once(other())
  expect(sent).toHaveLength(1)
  expect(await service.db.selectFrom('identity_mail_requests').selectAll().execute()).toEqual([])
  await service.close()
})

test('after an hour a mail is of no use and is given up', async () => {
  const refusing = { send: () => Promise.reject(new Error('busy')) }
  const service = await startIdentity({ mail: refusing })
  const auth = service.browser()
  await createUserWithEmailAndPassword(auth, 'late@example.test', PASSWORD)
  await service.app.close()
  await service.db
    .insertInto('identity_mail_requests')
    .values({
      purpose: 'password_reset',
      email: 'late@example.test',
      requested_at: new Date(service.now() - 3_600_001),
      due_at: new Date(service.now()),
    })
    .execute()
  const { db, now, publicUrl } = service
  await once(createMailRound({ db, mail: refusing, log, now, publicUrl, apiKey: 'reelay' }))
  expect(await db.selectFrom('identity_mail_requests').selectAll().execute()).toEqual([])
  await service.close()
})

test('what ran out is swept away, a day after it did', async () => {
  const service = await startIdentity()
  const auth = service.browser()
  await createUserWithEmailAndPassword(auth, 'sweep@example.test', PASSWORD)
  await sendPasswordResetEmail(auth, 'sweep@example.test')
  const code = codeIn(await service.nextMail('sweep@example.test'))
  const { db, now, publicUrl } = service
  const round = () =>
    once(
      createMailRound({ db, mail: { send: () => Promise.resolve() }, log, now, publicUrl, apiKey: 'reelay' }),
    )
  service.advance(24 * 3_600_000)
  await round()
  await expect(verifyPasswordResetCode(auth, code)).rejects.toThrow('expired-action-code')
  service.advance(2 * 3_600_000)
  await round()
  await expect(verifyPasswordResetCode(auth, code)).rejects.toThrow('invalid-action-code')
  await service.close()
})

/** One look, and an end. */
async function once(round: ReturnType<typeof createMailRound>) {
  round.start()
  await round.stop()
}
