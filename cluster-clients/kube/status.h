#pragma once
//
// What the API server's refusals mean: metav1.Status as our errors.
//
// The server's own message is repeated, in one line and at most 512 characters. A body that is no
// Status is never repeated: it may contain anything.

#include <string>
#include <string_view>

#include "base/result.h"
#include "cluster-clients/http/message.h"

namespace fedra::kube {

// The body of a 2xx answer that is one complete JSON object; an Error for everything else.
Result<std::string> TakeObject(http::Reply reply);
// The same of an answer that is any text.
Result<std::string> TakeText(http::Reply reply);

// Why an answer that is not 2xx, or a failed transfer, is one. Pure.
Error ErrorOf(const http::Reply& reply);

// The same for a Status object by itself: the `object` of a watch event of type ERROR.
Error ErrorOfStatus(std::string_view status);

}  // namespace fedra::kube
