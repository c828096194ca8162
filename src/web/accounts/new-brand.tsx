import { Button, Modal, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { LABELS, TEXTS } from '#contract/texts.ts'
import { call } from '#web/api/api.ts'
import { brandsQuery, queryClient } from '#web/api/queries.ts'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { failureText, titleProblem } from './brand-title.ts'
import classes from './brands.module.css'

export function NewBrand({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} title={LABELS.newBrand}>
      <NewBrandForm onDone={onClose} />
    </Modal>
  )
}

function NewBrandForm({ onDone }: { onDone: () => void }) {
  const [title, setTitle] = useState('')
  const [invalid, setInvalid] = useState<string | null>(null)
  const input = useRef<HTMLInputElement>(null)
  const create = useMutation({
    mutationFn: () => call('createBrand', { body: { title } }),
    onSuccess: () => {
      onDone()
      return queryClient.invalidateQueries(brandsQuery)
    },
  })
  return (
    <form
      className={classes.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        const problem = titleProblem(title)
        setInvalid(problem)
        if (problem === null) create.mutate()
        else input.current?.focus()
      }}
    >
      {create.error && (
        <InlineAlert title={TEXTS.brandCreateTitle}>
          <div>{failureText(create.error, TEXTS.brandCreateFailed)}</div>
        </InlineAlert>
      )}
      <TextInput
        label={LABELS.brandName}
        ref={input}
        data-autofocus
        autoComplete="off"
        value={title}
        error={invalid}
        onChange={(event) => {
          setTitle(event.currentTarget.value)
          setInvalid(null)
          create.reset()
        }}
      />
      <Button type="submit" loading={create.isPending}>
        {LABELS.create}
      </Button>
    </form>
  )
}
