import type { Command } from 'commander'
import { Stop } from './ends.ts'

export const SHELLS = ['bash', 'zsh', 'fish'] as const

/** A script that completes commands, options and, for the rest, file names. @throws Stop */
export function writeCompletion(program: Command, shell: string): string {
  const shared = flagsOf(program)
  const commands = program.commands.map((command) => ({
    name: command.name(),
    description: command.description(),
    flags: [...flagsOf(command), ...shared],
  }))
  const cases = commands.map(({ name, flags }) => `    ${name}) choices='${flags.join(' ')}' ;;`).join('\n')
  const first = [...commands.map(({ name }) => name), ...shared].join(' ')
  switch (SHELLS.find((known) => known === shell)) {
    case 'bash':
      return `_reelay() {
  local choices='${first}'
  [ "$COMP_CWORD" -gt 1 ] && case "\${COMP_WORDS[1]}" in
${cases}
  esac
  COMPREPLY=($(compgen -W "$choices" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _reelay reelay
`
    case 'zsh':
      return `#compdef reelay
_reelay() {
  local choices='${first}'
  (( CURRENT > 2 )) && case "$words[2]" in
${cases}
  esac
  compadd -- \${=choices}
  _files
}
compdef _reelay reelay
`
    case 'fish':
      return `complete -c reelay -n __fish_use_subcommand -f
${commands
  .flatMap(({ name, description, flags }) => [
    `complete -c reelay -n __fish_use_subcommand -f -a ${name} -d '${description.replaceAll("'", String.raw`\'`)}'`,
    ...flags
      .filter((flag) => flag.startsWith('--'))
      .map((flag) => `complete -c reelay -n '__fish_seen_subcommand_from ${name}' -l ${flag.slice(2)}`),
  ])
  .join('\n')}
`
    case undefined:
      throw new Stop('refused', `Completion is there for ${SHELLS.join(', ')}.`)
  }
}

const flagsOf = (command: Command): string[] =>
  command.options.flatMap(({ short, long }) => [short, long].filter((flag) => typeof flag === 'string'))
