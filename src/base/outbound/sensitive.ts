import ipaddr from 'ipaddr.js'

export type Address = ipaddr.IPv4 | ipaddr.IPv6

/**
 * Addresses that give everybody who connects credentials of the machine or control over it: link-local ones, and
 * clouds' metadata elsewhere.
 */
const SENSITIVE = [
  '169.254.0.0/16',
  'fe80::/10',
  // Looks public: https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16
  '168.63.129.16/32',
  // https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-data-retrieval.html, and EKS Pod Identity beside
  // it
  'fd00:ec2::/32',
  // https://cloud.google.com/compute/docs/metadata/querying-metadata
  'fd20:ce::254/128',
  // https://www.alibabacloud.com/help/en/ecs/user-guide/view-instance-metadata
  '100.100.100.200/32',
  'fd00:100::100:200/128',
  // https://docs.oracle.com/en/cloud/iaas/compute-iaas-cloud/stcsg/retrieving-instance-metadata.html
  '192.0.0.192/32',
  // https://docs.cloud-init.io/en/latest/reference/datasources/scaleway.html
  'fd00:42::42/128',
  // https://techdocs.akamai.com/cloud-computing/docs/overview-of-the-metadata-service
  'fd00:a9fe:a9fe::1/128',
].map((range) => ipaddr.parseCIDR(range))

/** The bytes of an IPv6 address that are an IPv4 address, to which a gateway may deliver. */
const EMBEDDINGS: { range: ReturnType<typeof ipaddr.parseCIDR>; bytes: number[]; isInverted?: true }[] = [
  // IPv4-compatible and translated addresses, ISATAP (RFC 5214), 64:ff9b::/96, and any other prefix of 96 bits for
  // NAT64.
  { range: ipaddr.parseCIDR('::/0'), bytes: [12, 13, 14, 15] },
  // 6to4: https://www.rfc-editor.org/rfc/rfc3056
  { range: ipaddr.parseCIDR('2002::/16'), bytes: [2, 3, 4, 5] },
  // Teredo, the server and the client: https://www.rfc-editor.org/rfc/rfc4380#section-4
  { range: ipaddr.parseCIDR('2001::/32'), bytes: [4, 5, 6, 7] },
  { range: ipaddr.parseCIDR('2001::/32'), bytes: [12, 13, 14, 15], isInverted: true },
  // Prefixes of 48, 56 and 64 bits for NAT64: RFC 8215, and https://www.rfc-editor.org/rfc/rfc6052#section-2.2
  ...[
    [6, 7, 9, 10],
    [7, 9, 10, 11],
    [9, 10, 11, 12],
  ].map((bytes) => ({ range: ipaddr.parseCIDR('64:ff9b:1::/48'), bytes })),
]

/** Whether packets to an address may reach one of these, through a gateway for IPv4 inside IPv6 too. */
export function isSensitive(address: Address): boolean {
  if (SENSITIVE.some((range) => matches(address, ...range))) return true
  if (address instanceof ipaddr.IPv4) return false
  const all = address.toByteArray()
  return EMBEDDINGS.some(({ range, bytes, isInverted }) => {
    if (!matches(address, ...range)) return false
    return isSensitive(new ipaddr.IPv4(bytes.map((index) => (isInverted ? 255 - all[index]! : all[index]!))))
  })
}

export const matches = (address: Address, network: Address, bits: number): boolean =>
  address.kind() === network.kind() && address.match(network, bits)
