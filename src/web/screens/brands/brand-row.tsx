import { ActionIcon, Button, TextInput } from '@mantine/core'
import { IconCheck, IconPencil, IconTrash, IconX } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useRef, useState, type ReactNode } from 'react'
import type { Brand } from '#contract/brands.ts'
import { TEXTS } from '#contract/texts.ts'
import { ApiProblem, call } from '#web/api.ts'
import { ANY_ACCOUNTS, brandsQuery, queryClient } from '#web/queries.ts'
import { announce } from '#web/ui/announce.tsx'
import { ICON } from '#web/ui/icons.tsx'
import { focusPage } from '#web/ui/page-region.ts'
import { Trouble } from '#web/ui/trouble.tsx'
import { failureText, titleProblem } from './brand-title.ts'
import classes from './brands.module.css'

/** One brand: shown, being edited, or about to be deleted. */
export function BrandRow({ brand }: { brand: Brand }) {
  const [mode, setMode] = useState<'shown' | 'edited' | 'deleted'>('shown')
  const row = useRef<HTMLTableRowElement>(null)
  /** Back to the row, and the focus back to the button that was left. */
  const show = (button: 'edit' | 'delete') => {
    setMode('shown')
    requestAnimationFrame(() =>
      row.current?.querySelector<HTMLButtonElement>(`button[data-action="${button}"]`)?.focus(),
    )
  }
  return (
    <>
      <tr ref={row}>
        {mode === 'edited' ? (
          <Editor brand={brand} onEnd={() => show('edit')} />
        ) : (
          <>
            <th scope="row" className={classes.name}>
              {brand.title}
            </th>
            <td className={classes.count} data-label="Number of Accounts">
              {brand.linkedAccounts}
            </td>
            <td className={classes.actions}>
              <RowButton label={`Edit ${brand.title}`} action="edit" onClick={() => setMode('edited')}>
                <IconPencil {...ICON} />
              </RowButton>
              <RowButton label={`Delete ${brand.title}`} action="delete" onClick={() => setMode('deleted')}>
                <IconTrash {...ICON} />
              </RowButton>
            </td>
          </>
        )}
      </tr>
      {mode === 'deleted' && <DeleteRow brand={brand} onKeep={() => show('delete')} />}
    </>
  )
}

function Editor({ brand, onEnd }: { brand: Brand; onEnd: () => void }) {
  const [title, setTitle] = useState(brand.title)
  const [invalid, setInvalid] = useState<string | null>(null)
  const save = useMutation({
    mutationFn: () => call('renameBrand', { body: { brand_id: brand.brand_id, title } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries(brandsQuery)
      onEnd()
    },
  })
  const submit = () => {
    const problem = titleProblem(title)
    setInvalid(problem)
    if (problem === null) save.mutate()
  }
  return (
    <>
      <td className={classes.name} colSpan={2}>
        <form
          className={classes.editor}
          noValidate
          onSubmit={(event) => {
            event.preventDefault()
            submit()
          }}
        >
          <TextInput
            aria-label="Brand Name"
            // oxlint-disable-next-line jsx-a11y/no-autofocus -- the field takes the place of the button that was pressed
            autoFocus
            autoComplete="off"
            value={title}
            disabled={save.isPending}
            error={invalid}
            onChange={(event) => {
              setTitle(event.currentTarget.value)
              setInvalid(null)
              save.reset()
            }}
            onKeyDown={(event) => event.key === 'Escape' && onEnd()}
          />
          {save.isPending && <output className={classes.saving}>{TEXTS.saving}</output>}
          {save.error && <Trouble>{failureText(save.error, TEXTS.brandSaveFailed)}</Trouble>}
        </form>
      </td>
      <td className={classes.actions}>
        <RowButton label={`Save ${brand.title}`} action="save" disabled={save.isPending} onClick={submit}>
          <IconCheck {...ICON} />
        </RowButton>
        <RowButton
          label={`Cancel editing ${brand.title}`}
          action="cancel"
          disabled={save.isPending}
          onClick={onEnd}
        >
          <IconX {...ICON} />
        </RowButton>
      </td>
    </>
  )
}

function DeleteRow({ brand, onKeep }: { brand: Brand; onKeep: () => void }) {
  const remove = useMutation({
    mutationFn: () => call('deleteBrand', { params: { brandId: brand.brand_id } }),
    onSuccess: () => {
      focusPage()
      announce({ kind: 'done', message: `${brand.title} is deleted.` })
      void queryClient.invalidateQueries(ANY_ACCOUNTS)
      return queryClient.invalidateQueries(brandsQuery)
    },
  })
  return (
    <tr className={classes.deleting}>
      <td colSpan={3}>
        <Trouble
          live={remove.error !== null}
          actions={
            <>
              {/* oxlint-disable-next-line jsx-a11y/no-autofocus -- the question takes the focus of the button that asked it */}
              <Button size="xs" variant="default" autoFocus onClick={onKeep} disabled={remove.isPending}>
                Keep
              </Button>
              <Button size="xs" color="failed" loading={remove.isPending} onClick={() => remove.mutate()}>
                Delete brand
              </Button>
            </>
          }
        >
          {remove.error ? deleteFailure(remove.error) : deleteQuestion(brand)}
        </Trouble>
      </td>
    </tr>
  )
}

/** A refusal with a reason that the user can act on is shown; the rest is the specification's one text. */
const deleteFailure = (error: Error): string =>
  error instanceof ApiProblem && error.code === 'in_flight' ? error.message : TEXTS.brandDeleteFailed

function deleteQuestion({ title, linkedAccounts }: Brand): ReactNode {
  const accounts =
    linkedAccounts === 1 ? 'Its account is unlinked' : `Its ${linkedAccounts} accounts are unlinked`
  return (
    <>
      <strong>Delete {title}?</strong> {linkedAccounts > 0 && `${accounts}. `}What is published stays
      published.
    </>
  )
}

type RowButtonProps = {
  label: string
  action: 'edit' | 'delete' | 'save' | 'cancel'
  disabled?: boolean
  onClick: () => void
  children: ReactNode
}

function RowButton({ label, action, disabled = false, onClick, children }: RowButtonProps) {
  return (
    <ActionIcon aria-label={label} title={label} data-action={action} disabled={disabled} onClick={onClick}>
      {children}
    </ActionIcon>
  )
}
