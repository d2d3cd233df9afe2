/**
 * A key and a self-signed certificate for `localhost` and `127.0.0.1`, for TLS tests alone: valid
 * for a hundred years, trusted by nobody. Made by `openssl req -x509 -newkey ec -pkeyopt
 * ec_paramgen_curve:prime256v1 -nodes -days 36500 -subj /CN=localhost -addext
 * subjectAltName=DNS:localhost,IP:127.0.0.1`.
 */

export const TEST_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgDqNPcqSqlT235ItB
yyoEQEG4P+xSSY1Js3PETat0deahRANCAAToR3RX1UvA+PW/pXusjN91WuPhRec2
CsCzzdalhjGdm/Fe42rHBs0vn5Xpsq4tYm0KdVqVOipTK233DGrQPQ7h
-----END PRIVATE KEY-----
`

export const TEST_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIULfB+j+Gv6wvaDlVXAAp5Dt/84YMwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTA5MTY0MFoYDzIxMjYxMDI4
MDkxNjQwWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAToR3RX1UvA+PW/pXusjN91WuPhRec2CsCzzdalhjGdm/Fe42rHBs0v
n5Xpsq4tYm0KdVqVOipTK233DGrQPQ7ho28wbTAdBgNVHQ4EFgQUH6Oms3AffctM
79x/S4mnZfYpfFowHwYDVR0jBBgwFoAUH6Oms3AffctM79x/S4mnZfYpfFowDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSAAwRQIgAtTvCa+muISqqF5Clo9SAEgLak+v6owvYzVF4JKkCAYCIQDS
bOHJF487LtI/Asq8nKpHqMhpxAsM91QQDtE41qe35A==
-----END CERTIFICATE-----
`

/** The key of somebody else. */
export const STRANGERS_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgUfUVQfF6lF9vKEGb
E9M5qeG7A956b0MzmaFh84B87AmhRANCAAR50t6LRQ61kGz3ydPz52NIvQl/b/FD
TogwxnLZH+hfXGh5MfXHLcAjEWcqTbHArHRi9xsc71JiGT3cMm19q19p
-----END PRIVATE KEY-----
`
