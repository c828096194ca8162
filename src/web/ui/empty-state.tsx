import type { ReactNode } from 'react'
import classes from './ui.module.css'
import { DrawnMessage } from './drawn-message.tsx'

type Props = {
  text: string
  drawing: 'brands' | 'accounts' | 'posts' | 'videos'
  action?: ReactNode
  /** Inside a titled card, which has its own padding. */
  inCard?: boolean
}

/** An empty list or page: one sentence and the first thing to do. */
export const EmptyState = ({ drawing, ...message }: Props) => (
  <DrawnMessage drawing={DRAWINGS[drawing]} {...message} />
)

const DRAWINGS: Record<Props['drawing'], ReactNode> = {
  brands: (
    <>
      <path d="M30 70V34a4 4 0 0 1 4-4h26l18 20-18 20Z" className={classes.line} />
      <path d="M78 74V26a4 4 0 0 1 4-4h34l22 26-22 26Z" className={classes.tint} />
      <circle cx="92" cy="48" r="5" className={classes.accent} />
    </>
  ),
  accounts: (
    <>
      <circle cx="58" cy="36" r="14" className={classes.line} />
      <path d="M30 78c2-16 13-24 28-24s26 8 28 24Z" className={classes.line} />
      <circle cx="104" cy="40" r="12" className={classes.tint} />
      <path d="M80 78c2-14 11-21 24-21s22 7 24 21Z" className={classes.tint} />
    </>
  ),
  posts: (
    <>
      <rect x="34" y="20" width="32" height="56" rx="6" className={classes.line} />
      <rect x="64" y="12" width="40" height="70" rx="8" className={classes.tint} />
      <path d="M79 38v18l15-9Z" className={classes.accent} />
      <rect x="102" y="20" width="32" height="56" rx="6" className={classes.line} />
    </>
  ),
  videos: (
    <>
      <rect x="30" y="16" width="30" height="52" rx="6" className={classes.line} />
      <rect x="65" y="16" width="30" height="52" rx="6" className={classes.tint} />
      <rect x="100" y="16" width="30" height="52" rx="6" className={classes.line} />
      <path d="M75 34v16l13-8Z" className={classes.accent} />
      <path d="M30 78h20M65 78h24M100 78h16" className={classes.line} />
    </>
  ),
}
