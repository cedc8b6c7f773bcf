// Marks what libtenon.so exports. Everything else is hidden.
#pragma once

#define TENON_API __attribute__((visibility("default")))
