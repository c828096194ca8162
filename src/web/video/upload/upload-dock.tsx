import { Link, useLocation } from 'react-router'
import { PATHS } from '#web/lib/paths.ts'
import { useActiveUploads } from './active-uploads.ts'
import { UploadProgress } from './upload-status.tsx'
import classes from './upload-dock.module.css'

/** The running uploads, on every screen but Upload, where each form shows its own. */
export default function UploadDock() {
  const uploads = useActiveUploads()
  const { pathname } = useLocation()
  if (uploads.length === 0 || pathname === PATHS.upload) return null
  return (
    <section className={classes.dock} aria-label="Uploads">
      {uploads.map(({ name, filename, progress, cancel, phase }) => (
        <div key={name}>
          <Link to={PATHS.upload} className={classes.name}>
            {filename}
          </Link>
          <UploadProgress
            progress={progress}
            phase={phase}
            onCancel={() => void cancel()}
            filename={filename}
          />
        </div>
      ))}
    </section>
  )
}
