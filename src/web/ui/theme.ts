import { createTheme, defaultVariantColorsResolver, type VariantColorsResolver } from '@mantine/core'

/** Colours live in theme.css, where they are right before the first script runs; sizes and habits live here. */
const button = (background: string, hover: string, color: string, border = 'transparent') => ({
  background,
  hover,
  color,
  border: `1px solid ${border}`,
})

const variantColorResolver: VariantColorsResolver = (input) => {
  const failed = input.color === 'failed'
  switch (input.variant) {
    case 'filled':
      return failed
        ? button('var(--r-failed)', 'var(--r-failed)', 'var(--r-surface)')
        : button('var(--r-accent)', 'var(--r-accent-hover)', 'var(--r-on-accent)')
    case 'light':
      if (failed) return button('transparent', 'var(--r-hover)', 'var(--r-failed)')
      return button('var(--r-accent-soft)', 'var(--r-accent-soft)', 'var(--r-accent)')
    case 'default':
      return button(
        'var(--r-surface)',
        'var(--r-hover)',
        failed ? 'var(--r-failed)' : 'var(--r-ink)',
        'var(--r-line)',
      )
    case 'subtle':
      return button(
        'transparent',
        'var(--r-hover)',
        `var(--r-${failed || input.color === 'accent' ? input.color : 'ink'})`,
      )
    default:
      return defaultVariantColorsResolver(input)
  }
}

export const theme = createTheme({
  primaryColor: 'teal',
  variantColorResolver,
  fontFamily: "'Inter Variable', system-ui, sans-serif",
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  fontSizes: { xs: '0.8125rem', sm: '0.875rem', md: '0.875rem', lg: '0.9375rem', xl: '1.375rem' },
  lineHeights: { xs: '1.25rem', sm: '1.25rem', md: '1.25rem', lg: '1.375rem', xl: '1.75rem' },
  spacing: { xs: '0.5rem', sm: '0.75rem', md: '1rem', lg: '1.5rem', xl: '2.25rem' },
  radius: { sm: '0.375rem', md: '0.5rem', lg: '0.75rem', xl: '1.125rem' },
  defaultRadius: 'md',
  headings: {
    fontWeight: '650',
    sizes: {
      h1: { fontSize: '1.375rem', lineHeight: '1.75rem' },
      h2: { fontSize: '0.9375rem', lineHeight: '1.375rem' },
      h3: { fontSize: '0.875rem', lineHeight: '1.25rem' },
    },
  },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    ActionIcon: { defaultProps: { variant: 'subtle', size: 36 } },
    Button: { defaultProps: { loaderProps: { type: 'dots' } } },
    // People write in either direction, in any field.
    TextInput: { defaultProps: { attributes: { input: { dir: 'auto' } } } },
    Textarea: { defaultProps: { attributes: { input: { dir: 'auto' } } } },
    Modal: {
      defaultProps: {
        attributes: { title: { dir: 'auto' } },
        // Not centred: an error that appears in it must not move what is being pressed.
        yOffset: '16dvh',
        radius: 'lg',
        shadow: 'lg',
        overlayProps: { backgroundOpacity: 0.4 },
        closeButtonProps: { 'aria-label': 'Close' },
        transitionProps: { duration: 150, transition: 'fade' },
      },
      // A long name leaves the close button its place.
      styles: { title: { minWidth: 0, lineHeight: '1.375rem', overflowWrap: 'anywhere' } },
    },
    Menu: {
      defaultProps: {
        shadow: 'md',
        // Gone at once: the second press of a double click must not meet the item that takes the place of the first.
        transitionProps: { duration: 120, exitDuration: 0 },
        position: 'bottom-end',
      },
      // An item may name an account, and a post may have a hundred: no menu is larger than the window.
      styles: {
        dropdown: { maxWidth: 'calc(100vw - 2rem)', maxHeight: '80dvh', overflowY: 'auto' },
        itemLabel: { minWidth: 0, overflowWrap: 'anywhere' },
      },
    },
    Switch: { defaultProps: { withThumbIndicator: false } },
    Select: {
      // Inside its landmark, and scrolled by the list itself, which is what screen readers expect.
      defaultProps: {
        allowDeselect: false,
        withScrollArea: false,
        comboboxProps: { shadow: 'md', withinPortal: false, keepMounted: false },
      },
      styles: { options: { maxHeight: '17.5rem', overflowY: 'auto' } },
    },
  },
})
