import { screen, waitFor } from '@testing-library/react'
import type { UserEvent } from '@testing-library/user-event'
import { useState } from 'react'
import { expect, test, vi } from 'vitest'
import { api } from '#web/testing/api-stub.ts'
import { picture } from '#web/testing/data.ts'
import { button, findAlert, renderPart } from '#web/testing/render-app.tsx'
import { PictureField } from './picture-field.tsx'

const onChange = vi.fn<(pictureId: number | null) => void>()

function Field({ first = null, error = null }: { first?: number | null; error?: string | null }) {
  const [value, setValue] = useState(first)
  return (
    <PictureField
      label="Instagram cover"
      help="In place of the frame."
      value={value}
      onChange={(id) => {
        onChange(id)
        setValue(id)
      }}
      fit={({ width, height }) => (width < height ? null : 'It will be cropped.')}
      error={error}
      disabled={false}
    />
  )
}

const open = (field = <Field />): Promise<UserEvent> => {
  onChange.mockClear()
  return renderPart(field)
}

/** A browser that reads pictures of this size, and what it drew. */
function decodePictures(width: number, height: number) {
  const sizes: number[][] = []
  const decoded = { width, height, close: () => undefined }
  vi.stubGlobal('createImageBitmap', () => Promise.resolve(decoded))
  const context = { fillRect: () => undefined, drawImage: () => undefined }
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue(
    context as unknown as CanvasRenderingContext2D,
  )
  vi.spyOn(HTMLCanvasElement.prototype, 'toBlob').mockImplementation(function (
    this: HTMLCanvasElement,
    done,
    type,
  ) {
    sizes.push([this.width, this.height])
    done(new Blob(['a picture'], { type: type ?? '' }))
  })
  return sizes
}

const choose = (events: UserEvent, name = 'cover.png') =>
  events.upload(
    screen.getByLabelText('Instagram cover: file', { selector: 'input' }),
    new File(['a picture'], name, { type: 'image/png' }),
  )

test('a picture of any kind is sent as a JPEG no larger than a reel, and shown', async () => {
  const sizes = decodePictures(2160, 3840)
  api.reply('uploadPicture', picture({ picture_id: 7, url: '/pictures/seven' }))
  const events = await open()
  await choose(events)
  await waitFor(() => expect(onChange).toHaveBeenCalledExactlyOnceWith(7))
  expect(sizes).toEqual([[1080, 1920]])
  expect(api.calls('uploadPicture').map(({ form }) => form)).toEqual([[['picture', 'cover.jpg']]])
  expect(screen.getByRole('presentation')).toHaveAttribute('src', '/pictures/seven')
  expect(screen.getByText('1080 × 1920.')).toBeVisible()
  // A picture that was just uploaded is not fetched again.
  expect(api.calls('getPicture')).toEqual([])
})

test('a picture says what the platform does to its shape, and can be removed', async () => {
  api.reply('getPicture', picture({ picture_id: 7, width: 1000, height: 1000 }))
  const events = await open(<Field first={7} />)
  expect(await screen.findByText('1000 × 1000. It will be cropped.')).toBeVisible()
  await events.click(button('Remove picture'))
  expect(onChange).toHaveBeenCalledExactlyOnceWith(null)
  expect(screen.getByText('In place of the frame.')).toBeVisible()
})

test('a file that the browser cannot read is named so, and nothing is sent', async () => {
  vi.stubGlobal('createImageBitmap', () => Promise.reject(new DOMException('no picture')))
  const events = await open()
  await choose(events, 'cover.heic')
  await findAlert("This browser can't read this picture. Choose a JPEG, PNG or WebP file.")
  expect([api.calls('uploadPicture'), onChange.mock.calls]).toEqual([[], []])
})

test('a refused upload says why, and leaves the picture that was there', async () => {
  decodePictures(1080, 1920)
  api.reply('getPicture', picture({ picture_id: 7 }))
  api.refuse('uploadPicture', 'too_large', 'A picture must be at most 8 MB')
  const events = await open(<Field first={7} />)
  await choose(events)
  await findAlert('A picture must be at most 8 MB')
  expect(onChange).not.toHaveBeenCalled()
  expect(button('Remove picture')).toBeEnabled()
})

test('a picture that is stored no more says so', async () => {
  api.refuse('getPicture', 'not_found', "There's no such picture.")
  await open(<Field first={7} />)
  expect(
    await screen.findByText("This picture isn't stored any more. Choose another one, or remove it."),
  ).toBeVisible()
})

test('what the server refused is said at the field', async () => {
  await open(<Field error="This picture isn't stored any more. Choose another one." />)
  await findAlert("This picture isn't stored any more. Choose another one.")
})

test('half a picture is refused before it is sent, although the browser would draw it', async () => {
  decodePictures(1080, 1920)
  const events = await open()
  await events.upload(
    screen.getByLabelText('Instagram cover: file', { selector: 'input' }),
    new File([new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2])], 'half.jpg', { type: 'image/jpeg' }),
  )
  expect(await findAlert(/The end of this picture is missing/)).toBeVisible()
  expect(onChange).not.toHaveBeenCalled()
})
