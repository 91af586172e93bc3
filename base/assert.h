#pragma once
//
// FEDRA_ASSERT(condition, "what should have held"): for broken invariants of our own code, never
// for input. Always on; prints the place and aborts, so that a wrong decision is never carried out.

#include <cstdio>
#include <cstdlib>

#define FEDRA_ASSERT(condition, what)                                                      \
  do {                                                                                     \
    if (!(condition)) {                                                                    \
      std::fprintf(stderr, "%s:%d: broken invariant: %s (%s)\n", __FILE__, __LINE__, what, \
                   #condition);                                                            \
      std::abort();                                                                        \
    }                                                                                      \
  } while (false)
