#pragma once
//
// How an answer reaches its client: which media types it takes, packed or not, and not at all when
// it has it already. Pure.
//
// Source: RFC 9110, sections 8.8 (ETag), 12.5 (Accept), 13.1.2 (If-None-Match).

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "manager/http/message.h"

namespace fedra::api {

// Whether a client that sent `accept` (empty: no such header) takes this media type.
bool Accepts(std::string_view accept, std::string_view type);
// Whether one that sent `accept_encoding` takes gzip.
bool AcceptsGzip(std::string_view accept_encoding);
// Whether one that sent `if_none_match` has what `tag` names. Weakly compared.
bool HasTag(std::string_view if_none_match, std::string_view tag);

// Why a browser's page may not ask here: another site's page, or a name that was made to lead here
// (DNS rebinding). Nothing: it may, or it is no browser.
std::optional<httpd::Answer> RefusalOf(const httpd::Request& request);
// The parts of that: the name of another server, where `is_ours` knows the names of this one beside
// localhost and IP addresses; and another site's page. Pages themselves may be opened by a link
// from elsewhere; what they ask must be theirs.
std::optional<httpd::Answer> RefusalOfHost(
    const httpd::Request& request, const std::function<bool(const std::string& host)>& is_ours);
std::optional<httpd::Answer> RefusalOfOtherSites(const httpd::Request& request);

// `news`: what makes one answer differ from another; ages do not.
httpd::Answer Deliver(const httpd::Request& request, httpd::Answer answer, std::string_view news);

}  // namespace fedra::api
