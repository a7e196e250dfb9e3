#if !Postgres
// Without the package trait Postgres, this module is empty; see QueryKitPostgres.
#endif
