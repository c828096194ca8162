import { Button, Group, NativeSelect, Stack, Textarea, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { BrandId } from '#contract/ids.ts'
import { POST_TEXT_MAX_CHARS, PRESET_NAME_MAX_CHARS } from '#contract/limits.ts'
import type { Preset } from '#contract/presets.ts'
import { TEXTS } from '#contract/texts.ts'
import { ApiProblem, call } from '#web/api/api.ts'
import { brandsQuery, queryClient } from '#web/api/queries.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { presetsQuery, type Unnamed } from './presets-query.ts'

type Props = {
  initial: Unnamed | Preset
  /** The preset that is changed; null: it is a new one. */
  saved: Preset | null
  onDone: () => void
}

/** Asks for a preset's name, and of a saved text for the text and its brand, and saves it. */
export function PresetForm({ initial, saved, onDone }: Props) {
  const [name, setName] = useState(saved?.name ?? '')
  const [text, setText] = useState(initial.kind === 'text' ? initial.content.text : '')
  const [brandId, setBrandId] = useState(initial.kind === 'text' ? initial.brand_id : null)
  const place = useRef<HTMLInputElement>(null)
  useEffect(() => place.current?.focus(), [])
  const typed = (): Unnamed =>
    initial.kind === 'text' ? { kind: 'text', brand_id: brandId, content: { text } } : initial
  const save = useMutation({
    mutationFn: () =>
      saved === null
        ? call('createPreset', { body: { ...typed(), name } })
        : call('changePreset', {
            params: { presetId: saved.preset_id },
            body:
              initial.kind === 'text'
                ? { ...typed(), name, version: saved.version }
                : { kind: saved.kind, name, version: saved.version },
          }),
    onSuccess: async () => {
      await queryClient.invalidateQueries(presetsQuery)
      onDone()
    },
  })
  const errors = save.error instanceof ApiProblem ? save.error.errors : {}
  const [nameError] = errors['name'] ?? []
  const [textError] = errors['content.text'] ?? []
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- for the keys of the fields inside
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (!save.isPending) save.mutate()
      }}
      // With Ctrl it would publish the post.
      onKeyDown={(event) => event.key === 'Enter' && event.stopPropagation()}
    >
      <Stack gap="sm">
        <TextInput
          ref={place}
          label="Name"
          autoComplete="off"
          maxLength={PRESET_NAME_MAX_CHARS}
          value={name}
          error={nameError}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        {initial.kind === 'text' && (
          <>
            <Textarea
              label="Text"
              autosize
              minRows={3}
              maxRows={8}
              maxLength={POST_TEXT_MAX_CHARS}
              value={text}
              error={textError}
              description="{account} and {brand} become the names of an account and its brand."
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              onChange={(event) => setText(event.currentTarget.value)}
            />
            <BrandField value={brandId} onChange={setBrandId} />
          </>
        )}
        {save.error && nameError === undefined && textError === undefined && (
          <InlineAlert>{messageOf(save.error, TEXTS.unknownError)}</InlineAlert>
        )}
        <Group justify="flex-end" gap="xs">
          <Button size="xs" variant="default" onClick={onDone}>
            Cancel
          </Button>
          <Button size="xs" type="submit" loading={save.isPending}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

type BrandProps = { value: BrandId | null; onChange: (brandId: BrandId | null) => void }

function BrandField({ value, onChange }: BrandProps) {
  const { data: brands = [] } = useQuery(brandsQuery)
  const find = (chosen: string) =>
    brands.find(({ brand_id }) => String(brand_id) === chosen)?.brand_id ?? null
  return (
    <NativeSelect
      label="For"
      value={value === null ? '' : String(value)}
      onChange={(event) => onChange(find(event.currentTarget.value))}
      data={[
        { value: '', label: 'All brands' },
        ...brands.map(({ brand_id, title }) => ({ value: String(brand_id), label: title })),
      ]}
    />
  )
}
