import { defineConfig } from 'vite'
import { bundleOf, PROGRAMS } from './build/bundle.ts'

export default defineConfig(bundleOf(PROGRAMS))
