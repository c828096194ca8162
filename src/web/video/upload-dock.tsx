import { Link, useLocation } from 'react-router'
import { PATHS } from '#web/lib/paths.ts'
import { Underway } from './send-state.tsx'
import classes from './upload-dock.module.css'
import { useUploads } from './uploads.ts'

/** What is on its way to the server while another screen is shown; on its own screen each form says it in place. */
export default function UploadDock() {
  const uploads = useUploads()
  const { pathname } = useLocation()
  if (uploads.length === 0 || pathname === PATHS.upload) return null
  return (
    <section className={classes.dock} aria-label="Uploads">
      {uploads.map(({ name, filename, progress, stop, phase }) => (
        <div key={name}>
          <Link to={PATHS.upload} className={classes.name}>
            {filename}
          </Link>
          <Underway progress={progress} phase={phase} onStop={() => void stop()} of={filename} />
        </div>
      ))}
    </section>
  )
}
