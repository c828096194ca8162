import { PageHeader } from '#web/ui/page-header.tsx'
import { ExportPart } from './export-part.tsx'
import { ImportPart } from './import-part.tsx'
import classes from './import.module.css'

/** Posts in and out as CSV files. */
export function ImportScreen() {
  return (
    <>
      <PageHeader title="Import and export" />
      <div className={classes.parts}>
        <ImportPart />
        <ExportPart />
      </div>
    </>
  )
}
