/** How much processor time this thread has used since: a bound on work that holds on a busy machine too. */
export function threadCpu(): () => number {
  const before = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  };
}
