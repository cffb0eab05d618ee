/** Packages from the archives of those who make them, which come with their services: the same for distributions of a kind. */
export const DEB_VENDORS = `
filebeat 8.{19/70}.0 filebeat@+filebeat
salt 3007.{10/90} salt-common@+salt-minion salt-minion@+salt-minion
tailscale 1.{92/35}.0 tailscale@+tailscaled tailscale-archive-keyring=1.35.181@+tailscaled
telegraf 1.{37/90}.0-1 telegraf@+telegraf
wazuh-agent 4.14.{2/60}-1 wazuh-agent@+wazuh-agent
`;

export const RPM_VENDORS = `
filebeat 8.{19/70}.0-1 filebeat@+filebeat
salt 3007.{10/90}-0 salt@+salt-minion salt-minion@+salt-minion
tailscale 1.{92/35}.0-1 tailscale@+tailscaled
telegraf 1.{37/90}.0-1 telegraf@+telegraf
wazuh-agent 4.14.{2/60}-1 wazuh-agent@+wazuh-agent
zabbix 7.0.{22/45}-release1 zabbix-agent2@+zabbix-agent2
`;
