// A certificate for localhost, signed by itself, and used nowhere but in tests.

import { writeFileSync } from "node:fs";
import { join } from "node:path";

const pem = (kind: string, text: string): string => `-----BEGIN ${kind}-----\n${text}\n-----END ${kind}-----\n`;

const certificate = `MIIBmjCCAUGgAwIBAgIUTejGaLbppHqpZE5oScoQFY/RIzkwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTExNTE0MzY1M1oYDzIxMjYxMDIy
MTQzNjUzWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASzLweEgDQG2UgNmr4YAy/dkEyXU0WbqWq3dH66cvEA6jFnFxEYAAT1
B5Z6wZ+7/AhvUnPiCZwsEn+UeA5ezbwco28wbTAdBgNVHQ4EFgQUvtR0HiN9hcqT
WZk4WhBeepV7PCswHwYDVR0jBBgwFoAUvtR0HiN9hcqTWZk4WhBeepV7PCswDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDRwAwRAIgRXYmdU1sUyDP22Htp+i8cWayrdcFw7YpxDua1tDJN6ICIHWa
kl48nfdUYjOg0JAZvjIutoG13qgGpIWn/kX2DCbO`;

const privateKey = `MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgfXx4M3NZ7i5HQ6px
E8zO5Nv+BV+VRRJKKJTxhjIU/xKhRANCAASzLweEgDQG2UgNmr4YAy/dkEyXU0Wb
qWq3dH66cvEA6jFnFxEYAAT1B5Z6wZ+7/AhvUnPiCZwsEn+UeA5ezbwc`;

/** Writes the two files into the folder. */
export function selfSigned(folder: string): { readonly tlsCert: string; readonly tlsKey: string } {
  const files = { tlsCert: join(folder, "cert.pem"), tlsKey: join(folder, "key.pem") };
  writeFileSync(files.tlsCert, pem("CERTIFICATE", certificate));
  writeFileSync(files.tlsKey, pem("PRIVATE KEY", privateKey));
  return files;
}
