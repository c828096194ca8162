import { Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { PLATFORM_IDS, PLATFORM_NAMES, type PlatformId } from '#contract/platforms/index.ts'
import { LABELS } from '#contract/texts.ts'
import { PATHS } from '#web/lib/paths.ts'
import { PLATFORM_FORMS } from '#web/platforms/forms.tsx'
import { PLATFORM_BRANDING } from '#web/platforms/branding.tsx'
import { settingsQuery } from '#web/api/queries.ts'
import { Card } from '#web/ui/card.tsx'
import { PageHeader } from '#web/ui/page-header.tsx'
import { WithAccounts } from '#web/platforms/kit/account-select.tsx'
import { FileForm } from './file-form.tsx'
import classes from './upload.module.css'

/** Platforms without a part of their own here. */
const OTHERS = PLATFORM_IDS.filter((id) => PLATFORM_FORMS[id] === null).map((id) => PLATFORM_NAMES[id])
const TO_OTHERS = OTHERS.length > 0 ? `to ${OTHERS.join(' or ')}, or ` : ''

export function UploadScreen() {
  const settings = useQuery(settingsQuery)
  const practice = settings.data?.practice_url
  return (
    <>
      <PageHeader
        title={LABELS.upload}
        aside={
          practice != null && (
            <span className={classes.sample}>
              No video at hand? Use the <a href={`${practice}/sample.mp4`}>sample video</a>.
            </span>
          )
        }
      />
      <div className={classes.parts}>
        <section className={classes.file} aria-labelledby="upload-file">
          <Card className={classes.part ?? ''}>
            <div>
              <h2 id="upload-file">Video file</h2>
              <Text c="dimmed" size="xs" mt="0.125rem">
                Stored on this server for later posts. Nothing is posted. To post {TO_OTHERS}one video to
                several accounts, start a <Link to={PATHS.compose}>new post</Link>.
              </Text>
            </div>
            <FileForm />
          </Card>
        </section>
        {PLATFORM_IDS.map((platform) => (
          <PlatformPart key={platform} platform={platform} />
        ))}
      </div>
    </>
  )
}

function PlatformPart({ platform }: { platform: PlatformId }) {
  const { Mark } = PLATFORM_BRANDING[platform]
  const Form = PLATFORM_FORMS[platform]
  if (Form === null) return null
  const titleId = `upload-${platform}`
  return (
    <section aria-labelledby={titleId}>
      <Card className={classes.part ?? ''}>
        <Group component="h2" id={titleId} gap="xs">
          <Mark /> {PLATFORM_NAMES[platform]} video
        </Group>
        <WithAccounts platform={platform}>{(accounts) => <Form accounts={accounts} />}</WithAccounts>
      </Card>
    </section>
  )
}
