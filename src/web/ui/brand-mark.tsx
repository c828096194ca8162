import type { Brand } from '#contract/brands.ts'
import { brandColor } from './brand-color.ts'
import classes from './brand-mark.module.css'

export type BrandLook = { readonly color: string; readonly logo: string | null }

export const brandLook = ({
  brand_id,
  color,
  logo_url,
}: Pick<Brand, 'brand_id' | 'color' | 'logo_url'>): BrandLook => ({
  color: brandColor(brand_id, color),
  logo: logo_url,
})

type Props = BrandLook & { size?: 'small' | 'medium' | 'large' }

/** A brand's logo, or a dot in its colour, before its name. */
export const BrandMark = ({ color, logo, size = 'medium' }: Props) =>
  logo === null ? (
    <span className={classes.dot} data-size={size} style={{ background: color }} aria-hidden="true" />
  ) : (
    <img className={classes.logo} data-size={size} src={logo} alt="" loading="lazy" decoding="async" />
  )
