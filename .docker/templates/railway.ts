// Postroom on Railway: one process that migrates, serves and publishes. Copy this file to .railway/railway.ts, and run
// CREDENTIALS_KEY=$(openssl rand -base64 32) railway config apply. The log of the first start has an API key.
// Written by `make readme`.
import { bucket, defineRailway, image, postgres, preserve, project, ref, service } from 'railway/iac'

export default defineRailway(() => {
  const database = postgres('postgres')
  const media = bucket('media')
  const postroom = service('postroom', {
    source: image('ghcr.io/OWNER/postroom:1.1.0'),
    start: '/usr/local/bin/node src/cli/postroom.ts start',
    healthcheck: '/healthz',
    env: {
      DATABASE_URL: database.env.DATABASE_URL,
      // Set by the first `apply`, and kept by later ones.
      CREDENTIALS_KEY: process.env.CREDENTIALS_KEY ?? preserve(),
      PUBLIC_URL: 'https://${{RAILWAY_PUBLIC_DOMAIN}}',
      S3_BUCKET: ref(media, 'BUCKET'),
      S3_REGION: ref(media, 'REGION'),
      S3_ENDPOINT: ref(media, 'ENDPOINT'),
      S3_ACCESS_KEY_ID: ref(media, 'ACCESS_KEY_ID'),
      S3_SECRET_ACCESS_KEY: ref(media, 'SECRET_ACCESS_KEY'),
    },
  })
  return project('postroom', { resources: [database, media, postroom] })
})
