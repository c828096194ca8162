import type { ReactNode } from 'react'
import type { Account } from '#contract/accounts.ts'
import type { PlatformId } from '#contract/platforms/index.ts'
import { PlatformForm } from '#web/video/platform-form.tsx'
import { instagramForm } from './instagram/form.ts'
import { tiktokForm } from './tiktok/form.ts'

type Form = (props: { accounts: readonly Account[] }) => ReactNode

/** Each platform's own form, which posts one video to one account. Apart from the looks, which every page loads. */
export const PLATFORM_FORMS: Record<PlatformId, Form> = {
  tiktok: ({ accounts }) => <PlatformForm form={tiktokForm} accounts={accounts} />,
  instagram: ({ accounts }) => <PlatformForm form={instagramForm} accounts={accounts} />,
}
