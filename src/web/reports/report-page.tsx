import { IconExternalLink } from '@tabler/icons-react'
import { accountName } from '#contract/accounts.ts'
import { PLATFORM_NAMES } from '#contract/platforms/index.ts'
import type { Report, ReportPost } from '#contract/reports.ts'
import { dateOf, zoneName } from '#web/lib/moments.ts'
import { PlatformName } from '#web/platforms/platform-name.tsx'
import { ICON } from '#web/ui/icons.tsx'
import { Thumbnail } from '#web/ui/thumbnail.tsx'
import {
  addMonths,
  againstUsual,
  amount,
  captionStart,
  summarizeReport,
  isEmpty,
  monthOnly,
  monthTitle,
  type Figure,
} from './report.ts'
import classes from './report-page.module.css'

type Props = {
  report: Report
  /** The level of its title: 2 below a heading of the page. */
  level?: 1 | 2
}

/** What a brand did in a month, on screen and on paper. */
export function ReportPage({ report, level = 1 }: Props) {
  const [Title, Section] = level === 1 ? (['h1', 'h2'] as const) : (['h2', 'h3'] as const)
  return (
    <article className={classes.report} aria-label={`Report for ${report.brand_title}`}>
      <header>
        <Title className={classes.title} dir="auto">
          {report.brand_title}
        </Title>
        <p className={classes.month}>
          {monthTitle(report.month)} <small>Days in {zoneName(report.timezone)}</small>
        </p>
      </header>
      {report.note.trim() !== '' && (
        <p className={classes.note} dir="auto">
          {report.note}
        </p>
      )}
      {isEmpty(report) ? (
        <p>No posts went live in {monthTitle(report.month)}.</p>
      ) : (
        <Results report={report} Section={Section} />
      )}
    </article>
  )
}

type Heading = 'h2' | 'h3'

function Results({ report, Section }: { report: Report; Section: Heading }) {
  const { posts, views, answers, followers } = summarizeReport(report)
  const { best, weakest } = report
  const earlier = monthOnly(addMonths(report.month, -1))
  return (
    <>
      <section className={classes.part} aria-label="Numbers">
        <Section>
          {monthOnly(report.month)} against {earlier}
        </Section>
        {[posts, views, [...answers, ...followers]].map(
          (group) =>
            group.length > 0 && (
              <dl key={group[0]?.key ?? ''} className={classes.figures}>
                {group.map((figure) => (
                  <FigureBox key={figure.key} figure={figure} />
                ))}
              </dl>
            ),
        )}
        <p className={classes.fine}>
          {`Views, likes${followers.length > 0 ? ', comments and followers gained' : ' and comments'}: 7 days after each post went live. Platforms count views in different ways.`}
        </p>
      </section>
      {best !== null && (
        <div className={classes.posts}>
          <PostBox title="Best post" post={best} Section={Section} zone={report.timezone} />
          {weakest !== null && (
            <PostBox title="Weakest post" post={weakest} Section={Section} zone={report.timezone} />
          )}
        </div>
      )}
      {best !== null && (
        <p className={classes.fine}>Usual: the middle of what the account’s last posts had after 7 days.</p>
      )}
    </>
  )
}

const FigureBox = ({ figure }: { figure: Figure }) => (
  <div className={classes.figure}>
    <dt>
      {figure.platform === null ? (
        figure.label
      ) : (
        <>
          {figure.label} on <PlatformName platform={figure.platform} />
        </>
      )}
    </dt>
    <dd className={classes.value}>{figure.value}</dd>
    {figure.counted !== null && <dd className={classes.fine}>{figure.counted}</dd>}
    {figure.difference !== null && <dd>{figure.difference}</dd>}
    <dd className={classes.fine}>{figure.before}</dd>
  </div>
)

type PostBoxProps = { title: string; post: ReportPost; Section: Heading; zone: string }

function PostBox({ title, post, Section, zone }: PostBoxProps) {
  const usual = againstUsual(post)
  return (
    <section className={classes.post} aria-label={title}>
      <Thumbnail src={post.poster_url} size="large" />
      <div>
        <Section>{title}</Section>
        <p className={classes.account}>
          <PlatformName platform={post.platform} /> <bdi>{accountName(post)}</bdi>
        </p>
        {post.text.trim() !== '' && <p dir="auto">{captionStart(post.text)}</p>}
        <p>
          <strong>
            {post.views.value === null ? 'Views not known' : `${amount(post.views.value)} views`}
          </strong>
          {usual !== null && `, ${usual}`}
        </p>
        <p className={classes.fine}>Went live on {dateOf(post.live_at, zone)}</p>
        {post.url !== null && (
          <p>
            <a href={post.url} target="_blank" rel="noreferrer">
              Open on {PLATFORM_NAMES[post.platform]} <IconExternalLink {...ICON} size={14} />
            </a>
          </p>
        )}
      </div>
    </section>
  )
}
