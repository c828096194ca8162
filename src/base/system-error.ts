export function systemCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
}

export const isDiskFull = (error: unknown): boolean => ['ENOSPC', 'EDQUOT'].includes(systemCode(error) ?? '')
