import { ActionIcon, Button } from '@mantine/core'
import { IconAlertTriangle, IconCheck, IconLinkOff, IconTrash } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useRef, useState, type RefObject } from 'react'
import { accountName, type Account } from '#contract/accounts.ts'
import { PLATFORM_NAMES } from '#contract/platforms/index.ts'
import { TEXTS } from '#contract/texts.ts'
import { call } from '#web/api.ts'
import { goToConsent } from '#web/link-flow.ts'
import { ANY_ACCOUNTS, brandsQuery, queryClient } from '#web/queries.ts'
import { announce } from '#web/ui/announce.tsx'
import { Avatar } from '#web/ui/avatar.tsx'
import { Confirm } from '#web/ui/confirm.tsx'
import { ICON } from '#web/ui/icons.tsx'
import { messageOf } from '#web/ui/message-of.ts'
import { focusPage } from '#web/ui/page-region.ts'
import { PlatformName } from '#web/ui/platform-name.tsx'
import { Badge } from '#web/ui/status.tsx'
import { Trouble } from '#web/ui/trouble.tsx'
import classes from './accounts.module.css'

/** One linked account, how it is, and what can be done about it. */
export function AccountRow({ account }: { account: Account }) {
  const [unlinking, setUnlinking] = useState(false)
  const unlinkButton = useRef<HTMLButtonElement>(null)
  const again = useMutation({
    mutationFn: () =>
      goToConsent({
        platform: account.platform,
        brandId: account.brand_id,
        accountId: account.account_id,
      }),
  })
  const name = accountName(account)
  const trouble = troubleOf(account)
  return (
    <li className={classes.row}>
      <div className={classes.account}>
        <Avatar url={account.avatar_url} name={account.username ?? account.display_name} />
        <div className={classes.who}>
          <span className={classes.username}>{name}</span>
          <span className={classes.under}>
            <PlatformName platform={account.platform} />
            {account.username !== null && account.display_name !== account.username && (
              <span>{account.display_name}</span>
            )}
          </span>
        </div>
        <Health account={account} />
        <ActionIcon
          ref={unlinkButton}
          className={classes.unlink ?? ''}
          aria-label={`Unlink ${name}`}
          title={`Unlink ${name}`}
          onClick={() => setUnlinking(true)}
        >
          <IconTrash {...ICON} />
        </ActionIcon>
      </div>
      {trouble !== null && (
        <Trouble
          tone="held"
          live={false}
          actions={
            <Button
              size="xs"
              variant="default"
              loading={again.isPending || again.isSuccess}
              onClick={() => again.mutate()}
              aria-label={`Link again: ${name}`}
            >
              Link again
            </Button>
          }
        >
          {trouble}
        </Trouble>
      )}
      {again.error && <Trouble>{messageOf(again.error, TEXTS.unknownError)}</Trouble>}
      {unlinking && <Unlink account={account} asker={unlinkButton} onKeep={() => setUnlinking(false)} />}
    </li>
  )
}

function Health({ account }: { account: Account }) {
  if (account.health.status === 'relink') return <Badge tone="held" Icon={IconLinkOff} word="Link again" />
  if (!account.can_publish) return <Badge tone="attention" Icon={IconAlertTriangle} word="May not post" />
  return <Badge tone="published" Icon={IconCheck} word="Ready" />
}

/** Why posts to this account would be held; `null`: they would not. */
function troubleOf({ platform, health, can_publish }: Account): string | null {
  if (health.status === 'relink') return health.reason
  if (can_publish) return null
  return `The permission to post was left out at ${PLATFORM_NAMES[platform]}. Link the account again and allow posting.`
}

type UnlinkProps = { account: Account; asker: RefObject<HTMLButtonElement | null>; onKeep: () => void }

function Unlink({ account, asker, onKeep }: UnlinkProps) {
  const name = accountName(account)
  const unlink = useMutation({
    mutationFn: () => call('unlinkAccount', { params: { accountId: account.account_id } }),
    onSuccess: () => {
      focusPage()
      announce({ kind: 'done', message: `${name} is unlinked.` })
      void queryClient.invalidateQueries(brandsQuery)
      return queryClient.invalidateQueries(ANY_ACCOUNTS)
    },
  })
  return (
    <Confirm
      question={
        <>
          <strong>Unlink {name}?</strong> Posts that wait for it are not sent. What is published stays
          published.
        </>
      }
      action="Unlink account"
      onConfirm={() => unlink.mutate()}
      busy={unlink.isPending}
      failure={unlink.error && messageOf(unlink.error, TEXTS.unknownError)}
      onKeep={onKeep}
      asker={asker}
    />
  )
}
