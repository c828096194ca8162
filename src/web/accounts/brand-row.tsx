import { ActionIcon, Box, Button, Group, Text } from '@mantine/core'
import { IconCalendarTime, IconCheck, IconPencil, IconTrash, IconX } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type ReactNode, type Ref, type RefObject, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { Link } from 'react-router'
import type { Brand, BrandColor } from '#contract/brands.ts'
import { LABELS, TEXTS } from '#contract/texts.ts'
import { ApiProblem, call } from '#web/api/api.ts'
import {
  ANY_ACCOUNTS,
  ANY_POSTS,
  accountsQuery,
  brandsQuery,
  queryClient,
  waitingQuery,
} from '#web/api/queries.ts'
import { counted } from '#web/lib/amounts.ts'
import { messageOf } from '#web/lib/message-of.ts'
import { type AccountsState, PATHS } from '#web/lib/paths.ts'
import { waitingPostsText } from '#web/lib/waiting-posts-text.ts'
import { PausedBadge } from '#web/posts/pause-button.tsx'
import { PlanningPanel } from '#web/planning/planning-panel.tsx'
import { presetsQuery } from '#web/presets/presets-query.ts'
import { announce } from '#web/ui/announce.tsx'
import { BrandMark, brandLook } from '#web/ui/brand-mark.tsx'
import { Confirm } from '#web/ui/confirm.tsx'
import { ICON } from '#web/ui/icons.tsx'
import { InlineAlert } from '#web/ui/inline-alert.tsx'
import { focusPage } from '#web/ui/page-region.ts'
import { useZone } from '#web/ui/zone.tsx'
import { BrandLookFields, type Logo } from './brand-look.tsx'
import { BrandNameField, useBrandName } from './brand-name-field.tsx'
import { failureText } from './brand-title.ts'
import { moveToBrand, TargetBrand } from './move-to-brand.tsx'
import classes from './accounts.module.css'

/** One brand: shown, being edited, or about to be deleted. */
export function BrandRow({ brand }: { brand: Brand }) {
  const [mode, setMode] = useState<'shown' | 'edited' | 'deleted'>('shown')
  const [isPlanning, setPlanning] = useState(false)
  const editButton = useRef<HTMLButtonElement>(null)
  const deleteButton = useRef<HTMLButtonElement>(null)
  const stopEditing = () => {
    flushSync(() => setMode('shown'))
    editButton.current?.focus()
  }
  if (mode === 'edited') return <Editor brand={brand} onEnd={stopEditing} />
  return (
    <>
      <tr>
        <th scope="row" className={classes.name}>
          <BrandMark {...brandLook(brand)} />
          <bdi>{brand.title}</bdi>
          {brand.paused && (
            <Text span size="xs" ml="0.625rem">
              <PausedBadge until={brand.paused_until} />
            </Text>
          )}
        </th>
        <td className={classes.count} data-label={LABELS.numberOfAccounts}>
          <Link
            to={PATHS.accounts}
            state={{ brandId: brand.brand_id } satisfies AccountsState}
            className={classes.accounts}
            aria-label={`${brand.linkedAccounts}: show the accounts of ${brand.title}`}
          >
            {brand.linkedAccounts}
          </Link>
        </td>
        <td className={classes.actions}>
          <RowButton
            label={`Planning of ${brand.title}`}
            expanded={isPlanning}
            onClick={() => setPlanning(!isPlanning)}
          >
            <IconCalendarTime {...ICON} />
          </RowButton>
          <RowButton ref={editButton} label={`Edit ${brand.title}`} onClick={() => setMode('edited')}>
            <IconPencil {...ICON} />
          </RowButton>
          <RowButton ref={deleteButton} label={`Delete ${brand.title}`} onClick={() => setMode('deleted')}>
            <IconTrash {...ICON} />
          </RowButton>
        </td>
      </tr>
      {isPlanning && (
        <tr className={classes.below}>
          <td colSpan={3}>
            <PlanningPanel brand={brand} />
          </td>
        </tr>
      )}
      {mode === 'deleted' && <DeleteRow brand={brand} asker={deleteButton} onKeep={() => setMode('shown')} />}
    </>
  )
}

function Editor({ brand, onEnd }: { brand: Brand; onEnd: () => void }) {
  const [color, setColor] = useState(brand.color)
  const [logo, setLogo] = useState<Logo>({ file: null, url: brand.logo_url })
  const save = useMutation({
    mutationFn: (title: string) => saveBrand(brand, { title, color, logo }),
    onSuccess: async () => {
      await queryClient.invalidateQueries(brandsQuery)
      onEnd()
    },
  })
  const { field, submit } = useBrandName(brand.title, save)
  const cancel = () => {
    if (!save.isPending) onEnd()
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- for the keys of the controls inside
    <tr onKeyDown={(event) => event.key === 'Escape' && cancel()}>
      <td className={classes.name} colSpan={2}>
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault()
            submit()
          }}
        >
          <BrandNameField
            {...field}
            aria-label={LABELS.brandName}
            // oxlint-disable-next-line jsx-a11y/no-autofocus -- the field takes the place of the button that was pressed
            autoFocus
            // Not `disabled`, which would lose the focus.
            readOnly={save.isPending}
          />
          <BrandLookFields brand={brand} color={color} logo={logo} onColor={setColor} onLogo={setLogo} />
          <Text component="output" mt="xs" c="dimmed" size="xs" hidden={!save.isPending}>
            {save.isPending && TEXTS.saving}
          </Text>
          {save.error && (
            <Box mt="xs">
              <InlineAlert>{failureText(save.error, TEXTS.brandSaveFailed)}</InlineAlert>
            </Box>
          )}
        </form>
      </td>
      <td className={classes.actions}>
        <RowButton label={`Save ${brand.title}`} disabled={save.isPending} onClick={submit}>
          <IconCheck {...ICON} />
        </RowButton>
        <RowButton label={`Cancel editing ${brand.title}`} disabled={save.isPending} onClick={cancel}>
          <IconX {...ICON} />
        </RowButton>
      </td>
    </tr>
  )
}

type Changes = { readonly title: string; readonly color: BrandColor | null; readonly logo: Logo }

async function saveBrand(brand: Brand, { title, color, logo }: Changes): Promise<void> {
  const { brand_id } = brand
  await call('renameBrand', { body: { brand_id, title, ...(color !== brand.color && { color }) } })
  const params = { brandId: brand_id }
  if (logo.file !== null) await call('setBrandLogo', { params, body: {}, file: logo.file })
  else if (logo.url === null && brand.logo_url !== null) await call('deleteBrandLogo', { params })
}

type DeleteRowProps = { brand: Brand; asker: RefObject<HTMLButtonElement | null>; onKeep: () => void }

function DeleteRow({ brand, asker, onKeep }: DeleteRowProps) {
  const brandId = brand.brand_id
  const waiting = useQuery(waitingQuery({ brandId }))
  const { data: presets = [] } = useQuery(presetsQuery)
  const texts = presets.filter((preset) => preset.kind === 'text' && preset.brand_id === brandId).length
  const zone = useZone()
  const remove = useMutation({
    // The user agreed to this number of posts; the server refuses any other.
    mutationFn: async () => {
      // Its answer would arrive for a deleted brand.
      await queryClient.cancelQueries(waitingQuery({ brandId }))
      return call('deleteBrand', { params: { brandId }, query: { cancel_posts: waiting.data?.posts ?? 0 } })
    },
    onError: () => waiting.refetch(),
    onSuccess: () => {
      focusPage()
      announce({ kind: 'done', message: `${brand.title} is deleted.` })
      void queryClient.invalidateQueries(ANY_ACCOUNTS)
      void queryClient.invalidateQueries(ANY_POSTS)
      void queryClient.invalidateQueries(presetsQuery)
      return queryClient.invalidateQueries(brandsQuery)
    },
  })
  return (
    <tr className={classes.below}>
      <td colSpan={3}>
        <Confirm
          question={deleteQuestion(brand, waiting.data ? waitingPostsText(waiting.data, zone) : null, texts)}
          action="Delete brand"
          onConfirm={() => remove.mutate()}
          busy={remove.isPending}
          failure={remove.error && deleteFailure(remove.error)}
          onKeep={onKeep}
          asker={asker}
        />
        {(waiting.data?.posts ?? 0) > 0 && <MoveAccounts brand={brand} />}
      </td>
    </tr>
  )
}

/** The specification's text, with the reason if the user can act on it. */
const deleteFailure = (error: Error): ReactNode => (
  <>
    {TEXTS.brandDeleteFailed}
    {error instanceof ApiProblem && (error.code === 'in_flight' || error.code === 'posts_waiting') && (
      <div>{error.message}</div>
    )}
  </>
)

function deleteQuestion({ title, linkedAccounts }: Brand, waiting: string | null, texts: number): ReactNode {
  const accounts =
    linkedAccounts === 1 ? 'Its account will be unlinked' : `Its ${linkedAccounts} accounts will be unlinked`
  return (
    <>
      <strong>
        Delete <bdi>{title}</bdi>?
      </strong>{' '}
      {linkedAccounts > 0 && `${accounts}. `}
      {texts > 0 && `${counted(texts, 'saved text')} of it will be deleted. `}
      {waiting !== null && <strong>{waiting} </strong>}Published posts stay online.
    </>
  )
}

type RowButtonProps = {
  label: string
  disabled?: boolean
  expanded?: boolean
  onClick: () => void
  children: ReactNode
  ref?: Ref<HTMLButtonElement>
}

function RowButton({ label, disabled = false, expanded, onClick, children, ref }: RowButtonProps) {
  return (
    <ActionIcon
      {...(ref && { ref })}
      aria-label={label}
      aria-expanded={expanded}
      title={label}
      disabled={disabled}
      onClick={onClick}
    >
      {children}
    </ActionIcon>
  )
}

/** Offered before a brand goes: its accounts stay linked, and their posts scheduled, in another brand, which the user names. */
function MoveAccounts({ brand }: { brand: Brand }) {
  const { data: brands = [] } = useQuery(brandsQuery)
  const others = brands.filter(({ brand_id }) => brand_id !== brand.brand_id)
  const [to, setTo] = useState<Brand>()
  const move = useMutation({
    mutationFn: async ({ brand_id }: Brand) => {
      const accounts = await queryClient.fetchQuery({ ...accountsQuery(brand.brand_id), staleTime: 0 })
      await moveToBrand(
        accounts.map(({ account_id }) => account_id),
        brand_id,
      )
      return accounts.length
    },
    onSuccess: (count, { title }) =>
      announce({
        kind: 'done',
        message: `${count === 1 ? '1 account is' : `${count} accounts are`} in ${title} now.`,
      }),
  })
  if (others.length === 0 || brand.linkedAccounts === 0) return null
  return (
    <Group align="flex-end" gap="8px" mt="12px">
      <TargetBrand
        size="xs"
        label="Keep its accounts and their posts in"
        brands={others}
        chosen={to}
        onChoose={setTo}
      />
      <Button
        size="xs"
        variant="default"
        disabled={to === undefined}
        loading={move.isPending}
        onClick={() => to && move.mutate(to)}
      >
        Move accounts
      </Button>
      {move.error && <span role="alert">{messageOf(move.error, TEXTS.unknownError)}</span>}
    </Group>
  )
}
