/* MCAP: numbers of its records (specification at mcap.dev/spec). Everything is little-endian; a
 * record is an opcode, the length of its content as uint64, and the content; a string is its length
 * as uint32 and its bytes; an array or map is its length in bytes as uint32 and its elements. */
#ifndef MCAP_LAYOUT_H
#define MCAP_LAYOUT_H

#define MCAP_MAGIC      "\x89MCAP0\r\n"
#define MCAP_MAGIC_SIZE 8

enum mcap_opcode {
  MCAP_HEADER = 0x01,  /* profile, library: strings */
  MCAP_FOOTER = 0x02,  /* summary_start, summary_offset_start: uint64; summary_crc: uint32 */
  MCAP_SCHEMA = 0x03,  /* id: uint16; name, encoding: strings; data: uint32 and bytes */
  MCAP_CHANNEL = 0x04, /* id, schema_id: uint16; topic, encoding: strings; metadata: map */
  MCAP_MESSAGE = 0x05, /* channel_id: uint16; sequence: uint32; log_time, publish_time: uint64 */
  MCAP_CHUNK = 0x06,   /* start, end, size: uint64; crc: uint32; compression: string; uint64 and
                                records */
  MCAP_MESSAGE_INDEX = 0x07, /* channel_id: uint16; array of time and offset in the chunk: uint64 */
  MCAP_CHUNK_INDEX = 0x08,   /* start, end, offset, length: uint64; map of message indexes; its
                                length: uint64; compression: string; sizes: uint64 */
  MCAP_STATISTICS = 0x0b,    /* messages: uint64; counts of the other records; start, end: uint64;
                                map of messages by channel */
  MCAP_SUMMARY_OFFSET = 0x0e, /* opcode: uint8; start, length: uint64 */
  MCAP_DATA_END = 0x0f        /* data_section_crc: uint32 */
};

#endif
