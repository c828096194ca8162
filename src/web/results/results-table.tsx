import { useMediaQuery } from '@mantine/hooks'
import { Link } from 'react-router'
import type { ResultsAccount, ResultsRow } from '#contract/results.ts'
import { dateOf } from '#web/lib/moments.ts'
import { postPath } from '#web/lib/paths.ts'
import { AccountName } from '#web/platforms/account-name.tsx'
import { Card } from '#web/ui/card.tsx'
import { Thumbnail } from '#web/ui/thumbnail.tsx'
import { AccountHead } from './account-head.tsx'
import { CellNumber } from './number.tsx'
import classes from './results.module.css'
import { ScrollTable } from './scroll-table.tsx'

type Props = {
  rows: readonly ResultsRow[]
  accounts: readonly ResultsAccount[]
  /** What the numbers are, such as "Views after 24 hours". */
  label: string
  zone: string
}

/** The same breakpoint as in the style sheets. */
const IS_PHONE = '(max-width: 37.49em)'

/** A row for each post, a column for each account; on a phone a card for each post. */
export function ResultsTable(props: Props) {
  const isPhone = useMediaQuery(IS_PHONE, false, { getInitialValueInEffect: false })
  return isPhone ? <Cards {...props} /> : <Table {...props} />
}

const Table = ({ rows, accounts, label, zone }: Props) => (
  <Card flush>
    <ScrollTable label={label} rows="posts">
      <thead>
        <tr>
          <th scope="col">Post</th>
          {accounts.map((account) => (
            <AccountHead key={account.account_id} of={account} />
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.post_id}>
            <th scope="row">
              <WhichPost row={row} zone={zone} />
            </th>
            {accounts.map(({ account_id }) => {
              const cell = row.cells.find((one) => one.account_id === account_id)
              return <td key={account_id}>{cell && <CellNumber of={cell} />}</td>
            })}
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  </Card>
)

function Cards({ rows, accounts, label, zone }: Props) {
  const byId = new Map(accounts.map((account) => [account.account_id, account]))
  return (
    <ul className={classes.cards} aria-label={label}>
      {rows.map((row) => (
        <li key={row.post_id}>
          <Card>
            <WhichPost row={row} zone={zone} />
            <ul>
              {row.cells.map((cell) => {
                const account = byId.get(cell.account_id)
                return (
                  <li key={cell.delivery_id} className={classes.cell}>
                    {account && <AccountName of={account} />}
                    <div>
                      <CellNumber of={cell} />
                    </div>
                  </li>
                )
              })}
            </ul>
          </Card>
        </li>
      ))}
    </ul>
  )
}

function WhichPost({ row, zone }: { row: ResultsRow; zone: string }) {
  const title = row.text.trim().split('\n')[0] || 'No caption'
  return (
    <div className={classes.post}>
      <Thumbnail src={row.video.poster_url} size="small" />
      <div>
        <span className={classes.title} dir="auto">
          <Link to={postPath(row.post_id)}>{title}</Link>
        </span>
        <div className={classes.facts}>
          <span>{dateOf(row.live_at, zone)}</span>
          {row.brand_title !== null && (
            <>
              {' '}
              · <bdi>{row.brand_title}</bdi>
            </>
          )}
        </div>
      </div>
    </div>
  )
}
