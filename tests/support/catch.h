#pragma once
//
// The one place that knows which Catch2 is installed: Debian 12 has v2, its backports v3.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Matchers::ContainsSubstring;
#else
#include <catch2/catch.hpp>
inline auto ContainsSubstring(const std::string& text) { return Catch::Contains(text); }
#endif
