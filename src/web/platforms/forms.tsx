import type { ReactNode } from 'react'
import type { Account } from '#contract/accounts.ts'
import type { PlatformId } from '#contract/platforms/index.ts'
import { InstagramForm } from './instagram/form.tsx'
import { TikTokForm } from './tiktok/form.tsx'

type Form = (props: { accounts: readonly Account[] }) => ReactNode

/** Each platform's own form, which posts one video to one account. Apart from the looks, which every page loads. */
export const PLATFORM_FORMS: Record<PlatformId, Form> = { tiktok: TikTokForm, instagram: InstagramForm }
