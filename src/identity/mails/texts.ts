import { LABELS } from '#contract/texts.ts'
import type { Purpose } from '../store/codes.ts'
import type { Language } from './languages.ts'

/** Addresses in a mail: `from` is the one that the account has or had, `to` the one that it goes to. */
export type Addresses = { readonly from: string; readonly to: string }

export type Words = {
  readonly subject: string
  /** What happened. */
  readonly lead: (addresses: Addresses) => string
  readonly button: string
  /** What the link does, and for how long. */
  readonly link: string
  /** What to do if somebody else asked. */
  readonly notYou: string
}

/** Before the link written out, for mail programs that show no button. */
export const COPY: Record<Language, string> = {
  en: 'If the button does not work, copy this address into your browser:',
  de: 'Wenn die Schaltfläche nicht funktioniert, kopiere diese Adresse in deinen Browser:',
  fr: 'Si le bouton ne fonctionne pas, copiez cette adresse dans votre navigateur :',
  es: 'Si el botón no funciona, copia esta dirección en tu navegador:',
}

export const TEXTS: Record<Language, Record<Purpose, Words>> = {
  en: {
    password_reset: {
      subject: 'Reset your Reelay password',
      lead: ({ to }) => `Somebody asked to reset the password of the Reelay account ${to}.`,
      button: 'Choose a new password',
      link: 'Choose a new password with this link. It works once, within one hour.',
      notYou: 'If it was not you, do nothing: your password stays as it is.',
    },
    email_sign_in: {
      subject: 'Log in to Reelay',
      lead: ({ to }) => `Somebody asked to log in to Reelay as ${to}.`,
      button: LABELS.logIn,
      link: 'Log in with this link. It works once, within six hours.',
      notYou: 'If it was not you, do nothing: without this link nobody gets in.',
    },
    verify_email: {
      subject: 'Confirm your e-mail address for Reelay',
      lead: ({ to }) => `A Reelay account has the e-mail address ${to}.`,
      button: 'Confirm the address',
      link: 'If the account is yours, confirm the address with this link. It works once, within three days.',
      notYou: 'If you have no Reelay account, do nothing.',
    },
    verify_and_change_email: {
      subject: 'Confirm your new e-mail address for Reelay',
      lead: ({ from, to }) => `The Reelay account ${from} is to have the address ${to} from now on.`,
      button: 'Use the new address',
      link: 'If the account is yours, confirm the new address with this link. It works once, within three days. You log in again after that.',
      notYou: 'If it was not you, do nothing: the account keeps the address that it has.',
    },
    recover_email: {
      subject: 'The e-mail address of your Reelay account was changed',
      lead: ({ to }) => `The Reelay account ${to} has another e-mail address now.`,
      button: 'Take the address back',
      link: 'If it was not you, take your address back with this link, and then choose a new password. The link works once, within seven days.',
      notYou: 'If it was you, there is nothing to do.',
    },
  },
  de: {
    password_reset: {
      subject: 'Dein Passwort für Reelay zurücksetzen',
      lead: ({ to }) => `Jemand möchte das Passwort des Reelay-Kontos ${to} zurücksetzen.`,
      button: 'Neues Passwort wählen',
      link: 'Wähle mit diesem Link ein neues Passwort. Er funktioniert einmal, innerhalb einer Stunde.',
      notYou: 'Wenn du das nicht warst, tu nichts: Dein Passwort bleibt, wie es ist.',
    },
    email_sign_in: {
      subject: 'Bei Reelay anmelden',
      lead: ({ to }) => `Jemand möchte sich bei Reelay als ${to} anmelden.`,
      button: 'Anmelden',
      link: 'Melde dich mit diesem Link an. Er funktioniert einmal, innerhalb von sechs Stunden.',
      notYou: 'Wenn du das nicht warst, tu nichts: Ohne diesen Link kommt niemand hinein.',
    },
    verify_email: {
      subject: 'Bestätige deine E-Mail-Adresse für Reelay',
      lead: ({ to }) => `Ein Reelay-Konto hat die E-Mail-Adresse ${to}.`,
      button: 'Adresse bestätigen',
      link: 'Wenn es dein Konto ist, bestätige die Adresse mit diesem Link. Er funktioniert einmal, innerhalb von drei Tagen.',
      notYou: 'Wenn du kein Reelay-Konto hast, tu nichts.',
    },
    verify_and_change_email: {
      subject: 'Bestätige deine neue E-Mail-Adresse für Reelay',
      lead: ({ from, to }) => `Das Reelay-Konto ${from} soll ab jetzt die Adresse ${to} haben.`,
      button: 'Neue Adresse verwenden',
      link: 'Wenn es dein Konto ist, bestätige die neue Adresse mit diesem Link. Er funktioniert einmal, innerhalb von drei Tagen. Danach meldest du dich neu an.',
      notYou: 'Wenn du das nicht warst, tu nichts: Das Konto behält seine Adresse.',
    },
    recover_email: {
      subject: 'Die E-Mail-Adresse deines Reelay-Kontos wurde geändert',
      lead: ({ to }) => `Das Reelay-Konto ${to} hat jetzt eine andere E-Mail-Adresse.`,
      button: 'Adresse zurückholen',
      link: 'Wenn du das nicht warst, hol deine Adresse mit diesem Link zurück und wähle danach ein neues Passwort. Der Link funktioniert einmal, innerhalb von sieben Tagen.',
      notYou: 'Wenn du das warst, ist nichts zu tun.',
    },
  },
  fr: {
    password_reset: {
      subject: 'Réinitialiser votre mot de passe Reelay',
      lead: ({ to }) => `Quelqu’un a demandé à réinitialiser le mot de passe du compte Reelay ${to}.`,
      button: 'Choisir un nouveau mot de passe',
      link: 'Choisissez un nouveau mot de passe avec ce lien. Il fonctionne une fois, pendant une heure.',
      notYou: 'Si ce n’était pas vous, ne faites rien : votre mot de passe reste le même.',
    },
    email_sign_in: {
      subject: 'Se connecter à Reelay',
      lead: ({ to }) => `Quelqu’un a demandé à se connecter à Reelay en tant que ${to}.`,
      button: 'Se connecter',
      link: 'Connectez-vous avec ce lien. Il fonctionne une fois, pendant six heures.',
      notYou: 'Si ce n’était pas vous, ne faites rien : sans ce lien, personne n’entre.',
    },
    verify_email: {
      subject: 'Confirmez votre adresse e-mail pour Reelay',
      lead: ({ to }) => `Un compte Reelay a l’adresse e-mail ${to}.`,
      button: 'Confirmer l’adresse',
      link: 'Si ce compte est le vôtre, confirmez l’adresse avec ce lien. Il fonctionne une fois, pendant trois jours.',
      notYou: 'Si vous n’avez pas de compte Reelay, ne faites rien.',
    },
    verify_and_change_email: {
      subject: 'Confirmez votre nouvelle adresse e-mail pour Reelay',
      lead: ({ from, to }) => `Le compte Reelay ${from} doit avoir désormais l’adresse ${to}.`,
      button: 'Utiliser la nouvelle adresse',
      link: 'Si ce compte est le vôtre, confirmez la nouvelle adresse avec ce lien. Il fonctionne une fois, pendant trois jours. Ensuite, vous vous reconnectez.',
      notYou: 'Si ce n’était pas vous, ne faites rien : le compte garde son adresse.',
    },
    recover_email: {
      subject: 'L’adresse e-mail de votre compte Reelay a été modifiée',
      lead: ({ to }) => `Le compte Reelay ${to} a maintenant une autre adresse e-mail.`,
      button: 'Reprendre l’adresse',
      link: 'Si ce n’était pas vous, reprenez votre adresse avec ce lien, puis choisissez un nouveau mot de passe. Le lien fonctionne une fois, pendant sept jours.',
      notYou: 'Si c’était vous, il n’y a rien à faire.',
    },
  },
  es: {
    password_reset: {
      subject: 'Restablece tu contraseña de Reelay',
      lead: ({ to }) => `Alguien ha pedido restablecer la contraseña de la cuenta de Reelay ${to}.`,
      button: 'Elegir una contraseña nueva',
      link: 'Elige una contraseña nueva con este enlace. Funciona una vez, durante una hora.',
      notYou: 'Si no has sido tú, no hagas nada: tu contraseña sigue siendo la misma.',
    },
    email_sign_in: {
      subject: 'Inicia sesión en Reelay',
      lead: ({ to }) => `Alguien ha pedido iniciar sesión en Reelay como ${to}.`,
      button: 'Iniciar sesión',
      link: 'Inicia sesión con este enlace. Funciona una vez, durante seis horas.',
      notYou: 'Si no has sido tú, no hagas nada: sin este enlace no entra nadie.',
    },
    verify_email: {
      subject: 'Confirma tu dirección de correo para Reelay',
      lead: ({ to }) => `Una cuenta de Reelay tiene la dirección de correo ${to}.`,
      button: 'Confirmar la dirección',
      link: 'Si la cuenta es tuya, confirma la dirección con este enlace. Funciona una vez, durante tres días.',
      notYou: 'Si no tienes una cuenta de Reelay, no hagas nada.',
    },
    verify_and_change_email: {
      subject: 'Confirma tu nueva dirección de correo para Reelay',
      lead: ({ from, to }) => `La cuenta de Reelay ${from} pasa a tener la dirección ${to}.`,
      button: 'Usar la dirección nueva',
      link: 'Si la cuenta es tuya, confirma la dirección nueva con este enlace. Funciona una vez, durante tres días. Después inicias sesión de nuevo.',
      notYou: 'Si no has sido tú, no hagas nada: la cuenta conserva su dirección.',
    },
    recover_email: {
      subject: 'Se ha cambiado la dirección de correo de tu cuenta de Reelay',
      lead: ({ to }) => `La cuenta de Reelay ${to} tiene ahora otra dirección de correo.`,
      button: 'Recuperar la dirección',
      link: 'Si no has sido tú, recupera tu dirección con este enlace y elige después una contraseña nueva. El enlace funciona una vez, durante siete días.',
      notYou: 'Si has sido tú, no hay nada que hacer.',
    },
  },
}
