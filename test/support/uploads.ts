import type { Person } from './test-server.ts'

const TUS = { 'tus-resumable': '1.0.0' }
const encode = (text: string) => Buffer.from(text).toString('base64')

export async function createUpload(someone: Person, size: number, filename = 'clip.mp4'): Promise<string> {
  const answer = await sendTus(someone, 'POST', '', {
    'upload-length': String(size),
    'upload-metadata': `filename ${encode(filename)},filetype ${encode('video/mp4')}`,
  })
  const id = /\/api\/v1\/uploads\/([0-9a-f]{32})$/.exec(answer.headers.get('location') ?? '')?.[1]
  if (answer.status !== 201 || id === undefined)
    throw new Error(`creating an upload answered ${answer.status}: ${await answer.text()}`)
  return id
}

export const patchUpload = (someone: Person, id: string, offset: number, bytes: Uint8Array<ArrayBuffer>) =>
  sendTus(
    someone,
    'PATCH',
    `/${id}`,
    { 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' },
    bytes,
  )

export const sendTus = (
  someone: Person,
  method: string,
  address = '',
  headers: Record<string, string> = {},
  body?: BodyInit,
): Promise<Response> =>
  someone.request(`/uploads${address}`, {
    method,
    headers: { ...TUS, ...headers },
    ...(body !== undefined && { body }),
  })
