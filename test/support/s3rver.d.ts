declare module '@20minutes/s3rver' {
  /** A small S3 server, which keeps its objects in a folder. */
  export default class S3rver {
    constructor(options: {
      address: string
      port: number
      directory: string
      silent: boolean
      allowMismatchedSignatures: boolean
    })
    run(): Promise<unknown>
    close(): Promise<void>
  }
}
