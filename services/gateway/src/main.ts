import { runMain } from '@app/service-host/run-main';
import { runAccountCommand } from './account-command.ts';
import { readConfig } from './config.ts';
import { runDoctorCommand } from './doctor-command.ts';
import { gatewayRotation } from './rotation.ts';
import { createGateway } from './service.ts';

/** Longer than one attempt of a request, which takes up to five seconds; the service closes within eight. */
const finishWithinMs = 7_000;

const [command, ...args] = process.argv.slice(2);
if (command === 'account') process.exitCode = await runAccountCommand(args, readConfig);
else if (command === 'doctor') process.exitCode = await runDoctorCommand(readConfig());
else
  await runMain(
    'gateway',
    readConfig,
    (config, deps) => createGateway(config, { ...deps, finishWithinMs }),
    gatewayRotation,
  );
