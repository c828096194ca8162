import classes from './ui.module.css'

export function Logo() {
  return (
    <span className={classes.logo}>
      <svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
        <rect width="24" height="24" rx="6" fill="var(--r-accent)" />
        <path
          d="M9.5 7.6v8.8a.7.7 0 0 0 1.06.6l7.2-4.4a.7.7 0 0 0 0-1.2l-7.2-4.4a.7.7 0 0 0-1.06.6Z"
          fill="var(--r-on-accent)"
        />
      </svg>
      Reelay
    </span>
  )
}
