import { Button } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { Link } from 'react-router'
import { PATHS } from '#web/lib/paths.ts'
import classes from './controls.module.css'
import { ICON } from './icons.tsx'

/** The action of a page on small screens; on others the menu beside the page has it. */
export const NewPostLink = ({ variant = 'filled' }: { variant?: 'filled' | 'default' }) => (
  <Button
    component={Link}
    className={classes.newPost ?? ''}
    to={PATHS.compose}
    variant={variant}
    leftSection={<IconPlus {...ICON} />}
  >
    New post
  </Button>
)
