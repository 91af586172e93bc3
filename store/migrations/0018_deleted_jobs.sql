-- What lists of deleted jobs are made of, as workloads_listed (0017) is for living ones. Its order is that of their names; the
-- newest come first by a sort, for all of them are read to be counted anyway.
CREATE INDEX workloads_deleted ON workloads
  (ns_order, name_order, created_at, uid, job_ns, job_name, queue, worker, removed_at)
  WHERE removed_at IS NOT NULL;
