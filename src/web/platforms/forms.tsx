import type { ReactNode } from 'react'
import type { Account } from '#contract/accounts.ts'
import type { PlatformId } from '#contract/platforms/index.ts'
import { PlatformForm } from '#web/platforms/kit/platform-form.tsx'
import { instagramForm } from '#web/platforms/instagram/form.ts'
import { tiktokForm } from '#web/platforms/tiktok/form.ts'

type Form = (props: { accounts: readonly Account[] }) => ReactNode

/** The form for one video and one account; null: the Upload screen has none. Not in `branding.tsx`, which every page loads. */
export const PLATFORM_FORMS: Record<PlatformId, Form | null> = {
  tiktok: ({ accounts }) => <PlatformForm form={tiktokForm} accounts={accounts} />,
  instagram: ({ accounts }) => <PlatformForm form={instagramForm} accounts={accounts} />,
  youtube: null,
}
