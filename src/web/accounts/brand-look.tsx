import { Button, Group, Stack, Text, VisuallyHidden } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useId, useRef } from 'react'
import { type Brand, BrandColor } from '#contract/brands.ts'
import { TEXTS } from '#contract/texts.ts'
import { HiddenFileInput } from '#web/ui/hidden-file-input.tsx'
import { brandColor } from '#web/ui/brand-color.ts'
import { BrandMark } from '#web/ui/brand-mark.tsx'
import { messageOf } from '#web/lib/message-of.ts'
import classes from './accounts.module.css'

/** A logo that is chosen has a file until it is saved; without an address there is none. */
export type Logo = { readonly file: File | null; readonly url: string | null }

type Props = {
  brand: Brand
  color: BrandColor | null
  logo: Logo
  onColor: (color: BrandColor | null) => void
  onLogo: (logo: Logo) => void
}

/** A brand's colour and logo, as they are being edited. */
export const BrandLookFields = ({ brand, color, logo, onColor, onLogo }: Props) => (
  <Stack gap="sm" mt="sm">
    <ColorField brand={brand} color={color} onColor={onColor} />
    <LogoField color={brandColor(brand.brand_id, color)} logo={logo} onLogo={onLogo} />
  </Stack>
)

function ColorField({ brand, color, onColor }: Pick<Props, 'brand' | 'color' | 'onColor'>) {
  const name = useId()
  return (
    <fieldset>
      <Text component="legend" size="xs" fw={600}>
        Colour
      </Text>
      <Group gap="xs" mt="0.25rem">
        {[null, ...BrandColor.options].map((one) => (
          <label key={nameOf(one)} className={classes.swatch} title={nameOf(one)}>
            <input
              type="radio"
              name={name}
              checked={one === color}
              style={{ background: brandColor(brand.brand_id, one) }}
              onChange={() => onColor(one)}
            />
            {one === null ? nameOf(one) : <VisuallyHidden>{nameOf(one)}</VisuallyHidden>}
          </label>
        ))}
      </Group>
    </fieldset>
  )
}

const nameOf = (color: BrandColor | null): string =>
  color === null ? 'Automatic' : color.charAt(0).toUpperCase() + color.slice(1)

function LogoField({ color, logo, onLogo }: Pick<Props, 'logo' | 'onLogo'> & { color: string }) {
  const input = useRef<HTMLInputElement>(null)
  const choose = useMutation({ mutationFn: makeLogo, onSuccess: onLogo })
  return (
    <Group component="fieldset" gap="xs" aria-label="Logo">
      <HiddenFileInput
        ref={input}
        label="Logo: file"
        accept="image/*"
        onFiles={([file]) => file && choose.mutate(file)}
      />
      <BrandMark color={color} logo={logo.url} size="large" />
      <Button size="xs" variant="default" onClick={() => input.current?.click()}>
        {logo.url === null ? 'Choose a logo' : 'Replace logo'}
      </Button>
      {logo.url !== null && (
        <Button size="xs" variant="subtle" onClick={() => onLogo({ file: null, url: null })}>
          Remove logo
        </Button>
      )}
      {choose.error && (
        <Text role="alert" size="xs" c="var(--r-failed)">
          {messageOf(choose.error, TEXTS.unknownError)}
        </Text>
      )}
    </Group>
  )
}

const SIDE_PX = 128

/** The whole picture within a square PNG, upright and without metadata. @throws Error with what to tell the user */
async function makeLogo(picture: File): Promise<Logo> {
  // Any error here is a file that it cannot decode.
  const bitmap = await createImageBitmap(picture).catch(() => null)
  const canvas = document.createElement('canvas')
  canvas.width = canvas.height = SIDE_PX
  const context = canvas.getContext('2d')
  if (bitmap === null || context === null)
    throw new Error("This browser can't read this picture. Choose a JPEG, PNG or WebP file.")
  const scale = SIDE_PX / Math.max(bitmap.width, bitmap.height)
  const [width, height] = [bitmap.width * scale, bitmap.height * scale]
  context.imageSmoothingQuality = 'high'
  context.drawImage(bitmap, (SIDE_PX - width) / 2, (SIDE_PX - height) / 2, width, height)
  bitmap.close()
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'))
  if (blob === null) throw new Error("This browser can't make a logo of this picture. Choose another one.")
  return { file: new File([blob], 'logo.png', { type: blob.type }), url: canvas.toDataURL('image/png') }
}
